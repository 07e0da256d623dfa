// A kernel's source above the PTX or SASS that was made of it: a line of one marks its lines in the other.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Line, Rows } from "./parts";
import type { KernelText, Tokens } from "./types";

const ROW = 20;
/** Where the code begins, behind the imports and the description. */
const CODE = /^(?:def |extern "C")/;
const MARKER = /^\s*\/\/## File /; // nvdisasm's, which the links replace

interface Shown { text: string; tokens: Tokens | undefined; /** Line in the file that was compiled. */ line: number; source: number }

function rows([text, tokens, lines]: KernelText["texts"][string]): Shown[] {
  const all = text.split("\n").map((row, n) => ({ text: row, tokens: tokens[n], line: n + 1, source: lines ? lines[n]! : n + 1 }));
  return all.slice(text.startsWith("\n") ? 1 : 0).filter((row) => !lines || !MARKER.test(row.text));
}

export function Listing({ texts, shown }: { texts: KernelText["texts"]; shown: string }): JSX.Element {
  const chosen = useSignal<{ source: number; by: "source" | "made"; at: number } | null>(null);
  const own = useMemo(() => rows(texts.source!), [texts]), made = useMemo(() => rows(texts[shown]!), [texts, shown]);
  const isLinked = made.some((row) => row.source > 0) && shown !== "source";
  const pane = (list: Shown[], by: "source" | "made", label: string) => {
    const from = chosen.value;
    const current = !from ? null : from.by === by && list[from.at]?.source === from.source ? from.at : list.findIndex((row) => row.source === from.source);
    const pick = (at: number) => { if (list[at]!.source) chosen.value = { source: list[at]!.source, by, at }; };
    const step = (at: number) => { const down = at > (current ?? -1); for (let n = at; n >= 0 && n < list.length; n += down ? 1 : -1) if (list[n]!.source) return pick(n); };
    return (
      <Rows count={list.length} height={ROW} label={label} class="source" start={list.findIndex((row) => (by === "source" ? CODE.test(row.text) : row.source > 0)) - 1} role={isLinked ? "listbox" : "group"} current={isLinked ? current : null} onMove={isLinked ? step : undefined} row={(n) => {
        const row = list[n]!, isOn = isLinked && from?.source === row.source;
        return (
          <div key={n} class={`line ${isOn ? "on" : ""}`} {...(isLinked ? { role: "option", "aria-selected": n === current, onClick: () => pick(n) } : {})}>
            <span class="no">{by === "source" ? n + 1 : row.source ? row.source - (own[0]!.line - 1) : ""}</span><Line text={row.text} tokens={row.tokens} />
          </div>);
      }} />
    );
  };
  return isLinked
    ? <div class="linked">{pane(own, "source", "Kernel source")}<p class="quiet">Select a line to mark its instructions; the numbers below are source lines.</p>{pane(made, "made", "Instructions")}</div>
    : pane(made, "source", "Kernel source");
}
