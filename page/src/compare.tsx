// Two recordings side by side: what differs in how they were made, their findings, and their kernels.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { SectionView, type SectionData } from "./blocks";
import { color } from "./compile";
import { report } from "./data";
import { Flames } from "./flame";
import { bytes, count, duration, number, sentence, times } from "./format";
import { FindingCard } from "./overview";
import { Loading, Prose, Tabs } from "./parts";
import { Sorted, type Column } from "./table";
import type { Finding } from "./types";

interface Counts {
  kernels: number; launches: number; library_calls: number; traffic_bytes: number | null; operators: number; graphs: number;
  graph_breaks: number; recompiles: number; compile_time_ns: number; predicted_ns: number | null; call_ns: number | null; busy_ns: number | null;
}
interface Side { name: string; target: string | null; started: string | null; gpu: { name: string } | null; counts: Counts }
interface Kernel {
  name: string; kind: string; launches: number; bytes: number | null; registers: number | null; predicted_ns: number | null; time_ns: number | null; source: string;
}
interface Diff {
  answer: string; highlights: string[]; sections: SectionData[]; before: Side; after: Side; notices: string[];
  conditions: { name: string; before: string | null; after: string | null; differs: boolean }[];
  findings: { kind: Change; before: Finding | null; after: Finding | null }[];
  kernels: { kind: Change | "same"; before: Kernel | null; after: Kernel | null; part_of: string | null; differences: string[] }[];
  libraries: { name: string; before: number; after: number }[];
  library_times: { name: string; before_ns: number | null; after_ns: number | null }[];
}
type Change = "new" | "changed" | "gone";
type Row = { name: string; kind: string; before: Partial<Kernel> | null; after: Partial<Kernel> | null; part_of: string | null; differences: string[] };

const KINDS = ["new", "changed", "gone"] as const;
const TITLES = { new: "New", changed: "Changed", gone: "Gone" };

/** Sections of which this view has more than the text. */
const OWN = /^(Settings and|Totals|Findings)|kernels/i;

export function Compare(): JSX.Element {
  const held = report<Diff>("diff").value;
  if (!held) return <Loading />;
  const was = held.before.counts.call_ns, now = held.after.counts.call_ns;
  return (
    <div class="page">
      <h1>{sentence(held.answer)}</h1>
      {held.highlights.map((line) => <p><Prose text={sentence(line)} /></p>)}
      <dl class="sides">{(["before", "after"] as const).map((key, n) => <div><dt>{"AB"[n]}</dt><dd>{held[key].target ?? held[key].name} <span class="quiet">{[held[key].name, held[key].started?.slice(0, 10)].filter(Boolean).join(" · ")}</span></dd></div>)}</dl>
      {was && now ? <p class="lead"><b>Warm call {duration(was)} → {duration(now)}</b>, {was > now ? `${times(was / now)} faster` : `${times(now / was)} slower`}. One profile each: <code>inspect bench</code> measures with intervals.</p> : null}
      <div class="beside"><Conditions held={held} /><Totals before={held.before.counts} after={held.after.counts} /></div>
      <Findings held={held} />
      {held.sections.filter((section) => !OWN.test(section.title)).map((section) => <SectionView section={section} />)}
      <Kernels held={held} />
      <Flames title="Compile time" color={color} picked={null} />
      {held.notices.map((text) => <p class="note">{sentence(text)}.</p>)}
    </div>
  );
}

function Conditions({ held }: { held: Diff }): JSX.Element {
  const other = held.conditions.filter((item) => item.differs), same = held.conditions.filter((item) => !item.differs);
  return (
    <section><h2>Settings that differ</h2>
      {other.length > 0 ? (
        <div class="scroll" tabIndex={0}><table>
          <thead><tr><th scope="col">Setting</th><th scope="col">A</th><th scope="col">B</th></tr></thead>
          <tbody>{other.map((item) => <tr><th scope="row">{item.name}</th><td>{item.before ?? <span class="quiet">unset</span>}</td><td>{item.after ?? <span class="quiet">unset</span>}</td></tr>)}</tbody>
        </table></div>
      ) : <p>None.</p>}
      {same.length > 0 && <p class="quiet">Same in both: {same.map((item) => `${item.name} ${item.after}`).join(" · ")}</p>}
    </section>
  );
}

/** In which direction less is better; null where neither is. */
const TOTALS: [title: string, key: keyof Counts, show: (n: number | null) => string, isWorse: boolean][] = [
  ["Warm call", "call_ns", duration, true], ["GPU busy", "busy_ns", duration, true], ["Predicted kernel time", "predicted_ns", duration, true],
  ["Kernels", "kernels", number, false], ["Launches", "launches", number, true], ["Library calls", "library_calls", number, false],
  ["Memory traffic", "traffic_bytes", bytes, true], ["Operators", "operators", number, false], ["Graphs", "graphs", number, true],
  ["Graph breaks", "graph_breaks", number, true], ["Recompilations", "recompiles", number, true], ["Compile time", "compile_time_ns", duration, true],
];

function Totals({ before, after }: { before: Counts; after: Counts }): JSX.Element {
  return (
    <section><h2>Totals</h2>
      <div class="scroll" tabIndex={0}><table>
        <thead><tr><th scope="col"><span class="hidden">What</span></th><th scope="col" class="num">A</th><th scope="col" class="num">B</th><th scope="col" class="num">Change</th></tr></thead>
        <tbody>{TOTALS.filter(([, key]) => before[key] !== null || after[key] !== null).map(([title, key, show, counts]) => (
          <tr><th scope="row">{title}</th><td class="num">{show(before[key])}</td><td class="num">{show(after[key])}</td><td class="num"><Delta before={before[key]} after={after[key]} isJudged={counts} /></td></tr>))}</tbody>
      </table></div>
    </section>
  );
}

/** How much more or less B has; a time that one side has not at all is all of the difference. */
function Delta({ before, after, show, isJudged = true }: { before?: number | null; after?: number | null; show?: (n: number) => string; isJudged?: boolean }): JSX.Element {
  if (before === after) return <span class="quiet">{before === null ? "–" : "same"}</span>;
  const more = (after ?? 0) - (before ?? 0), share = before && after ? after / before - 1 : null;
  const relative = share === null ? "" : Math.abs(share) < 0.005 ? "<1%" : share > 2 ? times(share + 1) : `${share > 0 ? "+" : "−"}${Math.round(Math.abs(share) * 100)}%`;
  const absolute = `${more > 0 ? "+" : "−"}${(show ?? number)(Math.abs(more))}`;
  const tone = !isJudged || (share !== null && Math.abs(share) < 0.02) ? "" : more > 0 ? "worse" : "better";
  return <span class={tone}>{show ? absolute : relative || absolute}{show && relative && <span class="quiet"> {relative}</span>}</span>;
}

function Findings({ held }: { held: Diff }): JSX.Element {
  return (
    <section><h2>Findings</h2>
      {held.findings.length === 0 && <p>No finding is new, changed or gone.</p>}
      {KINDS.map((kind) => {
        const found = held.findings.filter((item) => item.kind === kind);
        return found.length > 0 && (
          <details open={kind !== "gone"}><summary class="kind"><span class={`tag ${kind}`}>{TITLES[kind]}</span> {count(found.length, "finding")}</summary>
            {found.map((item, n) => <FindingCard finding={(item.after ?? item.before)!} id={`${kind}-${n + 1}`} />)}
          </details>);
      })}
    </section>
  );
}

function rowsOf(held: Diff): Row[] {
  const calls = new Map(held.libraries.map((item) => [item.name, item]));
  const kernels = held.kernels.map((item): Row => ({ ...item, name: item.before && item.after && item.before.name !== item.after.name ? `${item.before.name} → ${item.after.name}` : (item.after ?? item.before)!.name }));
  const libraries = held.library_times.map(({ name, before_ns, after_ns }): Row => {
    const side = (ns: number | null, launches?: number) => (ns === null ? null : { time_ns: ns, kind: "library", launches });
    const before = side(before_ns, calls.get(name)?.before), after = side(after_ns, calls.get(name)?.after);
    return { name, kind: !before ? "new" : !after ? "gone" : "same", before, after, part_of: null, differences: [] };
  });
  return [...kernels, ...libraries];
}

function Kernels({ held }: { held: Diff }): JSX.Element | null {
  const only = useSignal("all"), open = useSignal<string | null>(null);
  const rows = rowsOf(held);
  if (!rows.length) return null;
  const names = ["all", ...["new", "changed", "gone", "same"].filter((kind) => rows.some((row) => row.kind === kind))];
  const isTimed = rows.some((row) => row.before?.time_ns || row.after?.time_ns);
  const time = (side: Partial<Kernel> | null) => (isTimed ? side?.time_ns : side?.predicted_ns) ?? null;
  const hasTime = rows.some((row) => time(row.before) !== null || time(row.after) !== null);
  const pair = (title: string, of: (side: Partial<Kernel> | null) => number | null | undefined, show: (n?: number | null) => string): Column<Row>[] => [
    { title: `${title} A`, value: (row) => of(row.before), show: (row) => show(of(row.before)) },
    { title: `${title} B`, value: (row) => of(row.after), show: (row) => show(of(row.after)) },
  ];
  const columns: Column<Row>[] = [
    { title: "Kernel", isText: true, value: (row) => row.name, show: (row) => (row.before?.source || row.after?.source
      ? <button type="button" class="link name" aria-expanded={open.value === row.name} title={row.name} onClick={() => (open.value = open.value === row.name ? null : row.name)}>{row.name}</button> : <span class="name" title={row.name}>{row.name}</span>) },
    { title: "Change", isText: true, value: (row) => row.kind, show: (row) => <span class={`tag ${row.kind}`}>{row.kind}</span> },
    ...(hasTime ? [...pair(isTimed ? "Time" : "Predicted", time, duration), { title: "Difference", value: (row: Row) => (time(row.after) ?? 0) - (time(row.before) ?? 0), show: (row: Row) => <Delta before={time(row.before)} after={time(row.after)} show={duration} /> }] : []),
    ...pair("Launches", (side) => side?.launches, number), ...pair("Traffic", (side) => side?.bytes, bytes),
  ];
  return (
    <section><h2>Kernels</h2>
      <Tabs label="Show" names={names} current={only.value} onPick={(name) => (only.value = name)} />
      <Sorted columns={columns} rows={rows.filter((row) => only.value === "all" || row.kind === only.value)} by={hasTime ? "Difference" : "Change"}
        below={(row) => (open.value === row.name ? <Detail row={row} /> : null)} />
    </section>
  );
}

function Detail({ row }: { row: Row }): JSX.Element {
  const told = row.differences.filter((text) => text !== "source");
  return (
    <>
      {row.part_of && <p>{row.before ? "Now part of" : "Was part of"} <code>{row.part_of}</code>.</p>}
      {told.length > 0 && <p><Prose text={sentence(told.join(" · "))} /></p>}
      <SourceDiff before={row.before?.source ?? ""} after={row.after?.source ?? ""} />
    </>
  );
}

type Edit = [sign: " " | "+" | "−", text: string];

/** Lines that are gone and new, by the longest common subsequence. */
export function edits(a: string[], b: string[]): Edit[] {
  const long = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) long[i]![j] = a[i] === b[j] ? long[i + 1]![j + 1]! + 1 : Math.max(long[i + 1]![j]!, long[i]![j + 1]!);
  const found: Edit[] = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) found.push([" ", a[i++]!]), j++;
    else if (i < a.length && (j === b.length || long[i + 1]![j]! >= long[i]![j + 1]!)) found.push(["−", a[i++]!]);
    else found.push(["+", b[j++]!]);
  }
  return found;
}

const MOST_LINES = 2_000, CONTEXT = 3;

function SourceDiff({ before, after }: { before: string; after: string }): JSX.Element {
  const lines = (text: string) => (text ? text.trim().split("\n").slice(0, MOST_LINES) : []);
  const found = before === after ? lines(after).map((text): Edit => [" ", text]) : edits(lines(before), lines(after));
  const isNear = found.map((_, n) => before === after || found.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(([sign]) => sign !== " "));
  return <pre class="edits" tabIndex={0}>{found.map(([sign, text], n) => (isNear[n]
    ? <div class={{ " ": "", "+": "added", "−": "removed" }[sign]}>{sign} {text}{"\n"}</div>
    : (n === 0 || isNear[n - 1]) && <div class="quiet">{"  ⋯\n"}</div>))}</pre>;
}
