// Compilations as nested spans of time: click one to zoom in, arrow keys walk.
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { chunk } from "./data";
import { duration, number, percent } from "./format";
import { useWidth } from "./parts";

interface Lane { title: string; begin: number[]; length: number[]; depth: number[]; name: number[]; stage: number[]; compile_id: number[]; texts: string[]; left_out: number }
interface Spans { parent: number[]; self: number[]; end: number; levels: number }
const ROW = 22, LEAST_SHARE = 0.0008, LEAST_LABELLED = 36; // pixels

/** Each span's parent, and its time without its children. */
function nested(lane: Lane): Spans {
  const open: number[] = [], parent: number[] = [], self = [...lane.length];
  lane.depth.forEach((depth, n) => {
    open.length = depth;
    const above = open[depth - 1] ?? -1;
    parent.push(above);
    if (above >= 0) self[above]! -= lane.length[n]!;
    open.push(n);
  });
  return { parent, self, end: Math.max(...lane.begin.map((at, n) => at + lane.length[n]!)), levels: Math.max(...lane.depth) + 1 };
}

export function Flames({ title = "Flame graph", color, picked }: { title?: string; color: (stage: string) => string; picked: string | null }): JSX.Element | null {
  const lanes = chunk<Lane[]>("flame").value;
  const longest = useMemo(() => Math.max(1, ...(lanes ?? []).map((lane) => nested(lane).end)), [lanes]);
  if (!lanes) return null;
  return (
    <section><h2>{title}</h2>
      <p class="quiet">Click a span to zoom in; arrow keys walk.{lanes.length > 1 ? " All have the same scale." : ""}</p>
      {lanes.map((lane) => <Flame lane={lane} whole={longest} hasTitle={lanes.length > 1} color={color} picked={picked} />)}
    </section>
  );
}

function Flame({ lane, whole, hasTitle, color, picked }: { lane: Lane; whole: number; hasTitle: boolean; color: (stage: string) => string; picked: string | null }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), pixels = useWidth(box, 1000);
  const at = useSignal(-1), over = useSignal(-1), root = useSignal(-1);
  const { parent, self, levels } = useMemo(() => nested(lane), [lane]);
  const from = root.value < 0 ? 0 : lane.begin[root.value]!, span = root.value < 0 ? whole : Math.max(1, lane.length[root.value]!);
  const above = useMemo(() => {
    const found = new Set<number>();
    for (let n = root.value; n >= 0; n = parent[n]!) found.add(n);
    return found;
  }, [root.value, parent]);
  const text = (n: number) => lane.texts[n]!;
  const shown = lane.begin.flatMap((begin, n) => {
    const left = Math.max(0, (begin - from) / span), right = Math.min(1, (begin + lane.length[n]! - from) / span);
    return right - left >= LEAST_SHARE ? [{ n, left, width: right - left }] : [];
  });
  const key = (event: KeyboardEvent) => {
    const siblings = lane.depth.flatMap((depth, n) => (at.value >= 0 && depth === lane.depth[at.value] && parent[n] === parent[at.value] ? [n] : []));
    const place = siblings.indexOf(at.value);
    const moves: Record<string, () => number | undefined> = {
      ArrowRight: () => (at.value < 0 ? 0 : siblings[place + 1]), ArrowLeft: () => siblings[place - 1],
      ArrowDown: () => (at.value < 0 ? 0 : parent.indexOf(at.value)), ArrowUp: () => parent[at.value],
    };
    if (event.key === "Enter") root.value = root.value === at.value ? -1 : at.value;
    else if (moves[event.key]) {
      const next = moves[event.key]!();
      if (next !== undefined && next >= 0) at.value = next;
    } else return;
    over.value = -1;
    event.preventDefault();
  };
  const told = over.value >= 0 ? over.value : at.value;
  return (
    <>
      {hasTitle && <h3>{lane.title} <span class="quiet">{duration(lane.begin.reduce((sum, _, n) => sum + (lane.depth[n] ? 0 : lane.length[n]!), 0) * 1e3)}</span></h3>}
      <div ref={box} class="flame" style={{ height: `${levels * ROW}px` }} tabIndex={0} role="group" aria-label={`Flame graph: ${number(lane.begin.length)} spans of ${lane.title}`} onKeyDown={key} onMouseLeave={() => (over.value = -1)}>
        {shown.map(({ n, left, width }) => (
          <div class={`${color(text(lane.stage[n]!))} ${n === at.value ? "on" : ""} ${above.has(n) && n !== root.value ? "above" : ""} ${picked && picked !== text(lane.stage[n]!) ? "off" : ""}`}
            style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: `${lane.depth[n]! * ROW}px` }}
            onMouseEnter={() => (over.value = n)} onClick={() => { at.value = n; root.value = root.value === n ? parent[n]! : n; }}>{width * pixels.value > LEAST_LABELLED && text(lane.name[n]!)}</div>))}
      </div>
      <p class="told" aria-live="polite">{told < 0 ? <span class="quiet">{number(lane.begin.length)} spans{lane.left_out ? `, the ${number(lane.left_out)} shortest left out` : ""}</span> : <>
        <b>{text(lane.name[told]!)}</b> {duration(lane.length[told]! * 1e3)} <span class="quiet">({duration(self[told]! * 1e3)} self, {percent(lane.length[told]! / whole)} of all) · {text(lane.stage[told]!)}{text(lane.compile_id[told]!) ? ` · compilation ${text(lane.compile_id[told]!)}` : ""}</span></>}
        {root.value >= 0 && <button type="button" class="link" onClick={() => (root.value = -1)}>Zoom out</button>}</p>
    </>
  );
}
