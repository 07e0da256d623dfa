// A graph as a list in execution order, with lanes: for thousands of nodes, by keyboard, for screen readers.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { graph as graphOf, index } from "./data";
import { bytes, count } from "./format";
import { lanes, MAX_LANES, type Row } from "./lanes";
import { Loading, Rows } from "./parts";
import { hovered, lit, nodeKey, pin, pinned, pinnedRelated } from "./select";
import type { GraphColumns } from "./types";

const ROW = 24, LANE = 9;

export type GroupBy = "nodes" | "modules" | "kernels";
interface Group { key: number; title: string; nodes: number[] }
type Entry = number | Group;
const MODULE_PARTS = 3; // encoder.layer.0 is one group, whatever is in it

export function GraphList({ graph, filter = "", by = "nodes" }: { graph: number; filter?: string; by?: GroupBy }): JSX.Element {
  const columns = graphOf(graph).value;
  return columns ? <List key={`${graph}-${by}`} graph={graph} columns={columns} filter={filter} by={by} /> : <Loading />;
}

function matching(columns: GraphColumns, filter: string): number[] {
  const text = filter.toLowerCase();
  const all = columns.name.map((_, n) => n);
  const matches = (n: number) => [columns.name[n], columns.texts[columns.target[n]!], columns.texts[columns.module[n]!]].some((t) => t?.toLowerCase().includes(text));
  return text ? all.filter(matches) : all;
}

/** Neighbors of one module, or of one kernel, as one entry. */
function grouped(columns: GraphColumns, nodes: number[], by: GroupBy): Entry[] {
  if (by === "nodes") return nodes;
  const isGiven = (n: number) => ["placeholder", "get_attr"].includes(columns.texts[columns.op[n]!]!);
  const titleOf = (n: number) => isGiven(n) ? "inputs and parameters" : by === "modules"
    ? columns.texts[columns.module[n]!]!.split(".").slice(0, MODULE_PARTS).join(".")
    : columns.kernels[n]!.map((t) => columns.texts[t]!)[0] ?? "";
  const found: Entry[] = [];
  for (const n of nodes) {
    const title = titleOf(n), last = found.at(-1);
    if (!title) found.push(n);
    else if (last !== undefined && typeof last !== "number" && last.title === title) last.nodes.push(n);
    else found.push({ key: n, title, nodes: [n] });
  }
  return found;
}

function List({ graph, columns, filter, by }: { graph: number; columns: GraphColumns; filter: string; by: GroupBy }): JSX.Element {
  const rows = useMemo(() => lanes(columns), [columns]);
  const width = useMemo(() => Math.min(MAX_LANES, Math.max(1, ...rows.map((row) => row.lane + 1))) * LANE + 8, [rows]);
  const open = useSignal<ReadonlySet<number>>(new Set());
  const groups = useMemo(() => grouped(columns, matching(columns, filter), by), [columns, filter, by]);
  const shown = groups.flatMap((entry): Entry[] => (typeof entry !== "number" && open.value.has(entry.key) ? [entry, ...entry.nodes] : [entry]));
  const toggle = (key: number) => {
    const next = new Set(open.value);
    if (!next.delete(key)) next.add(key);
    open.value = next;
  };
  const start = filter ? 0 : shown.findIndex((entry) => typeof entry === "number" && columns.texts[columns.op[entry]!]!.startsWith("call_")) - 1;
  const placeOf = (node: number) => {
    const at = shown.indexOf(node);
    return at >= 0 ? at : shown.findIndex((entry) => typeof entry !== "number" && entry.nodes.includes(node));
  };
  const current = (() => {
    const item = pinned.value;
    if (item?.kind === "node" && item.graph === graph) return placeOf(item.node);
    const found = [...pinnedRelated.value.nodes].map((key) => key.split(".").map(Number)).filter(([g]) => g === graph);
    const numbers = found.map(([, n]) => n!).sort((a, b) => a - b);
    const first = numbers.find((n) => columns.texts[columns.op[n]!]!.startsWith("call_")) ?? numbers[0];
    return first === undefined ? null : placeOf(first);
  })();
  return (
    <Rows count={shown.length} height={ROW} label={`Nodes of ${index.graphs[graph]!.name}`} current={current} class="nodes" start={start}
      onMove={(n) => { const entry = shown[n]!; pin({ kind: "node", graph, node: typeof entry === "number" ? entry : entry.nodes[0]! }); }}
      row={(n) => {
        const entry = shown[n]!;
        return typeof entry === "number"
          ? <Node graph={graph} columns={columns} n={entry} row={rows[entry]!} width={width} hasLanes={!filter && by === "nodes"} />
          : <Head graph={graph} columns={columns} group={entry} isOpen={open.value.has(entry.key)} onToggle={() => toggle(entry.key)} />;
      }} />
  );
}

function Head({ graph, columns, group, isOpen, onToggle }: {
  graph: number; columns: GraphColumns; group: Group; isOpen: boolean; onToggle: () => void;
}): JSX.Element {
  const isOn = group.nodes.some((n) => lit("nodes", nodeKey(graph, n)) === "on");
  const written = group.nodes.reduce((sum, n) => sum + (columns.bytes[n] ?? 0), 0);
  return (
    <div key={`g${group.key}`} role="option" aria-selected="false" aria-expanded={isOpen} class={`node group ${isOn ? "on" : ""}`} onClick={onToggle}>
      <span>{isOpen ? "▾" : "▸"}</span><span class="node-name">{group.title}</span>
      <span class="node-target">{count(group.nodes.length, "node")}</span><span class="node-bytes">{bytes(written)}</span>
    </div>
  );
}

function Node({ graph, columns, n, row, width, hasLanes }: {
  graph: number; columns: GraphColumns; n: number; row: Row; width: number; hasLanes: boolean;
}): JSX.Element {
  const { texts } = columns;
  const item = { kind: "node", graph, node: n } as const;
  const isPinned = pinned.value?.kind === "node" && pinned.value.graph === graph && pinned.value.node === n;
  const op = texts[columns.op[n]!]!;
  return (
    <div key={n} role="option" aria-selected={isPinned} class={`node ${op} ${lit("nodes", nodeKey(graph, n))}`}
      onClick={() => pin(item)} onMouseEnter={() => (hovered.value = item)} onMouseLeave={() => (hovered.value = null)}>
      {hasLanes && <Lane row={row} width={width} />}
      <span class="node-name">{columns.name[n]}</span>
      <span class="node-target">{op === "placeholder" || op === "output" ? op : texts[columns.target[n]!]}</span>
      <span class="node-tensor">{texts[columns.tensor[n]!]}</span>
      <span class="node-bytes">{columns.bytes[n] ? bytes(columns.bytes[n]) : ""}</span>
    </div>
  );
}

function Lane({ row, width }: { row: Row; width: number }): JSX.Element {
  const x = (lane: number) => 6 + Math.min(lane, MAX_LANES - 1) * LANE;
  const mid = ROW / 2, own = x(Math.max(0, row.lane));
  const curve = (lane: number) => `M${x(lane)} 0C${x(lane)} ${mid} ${own} 0 ${own} ${mid}`;
  return (
    <svg width={width} height={ROW} aria-hidden="true" class="lane">
      {row.passing.map((lane) => <path d={`M${x(lane)} 0V${ROW}`} class={`l${lane % 6}`} />)}
      {row.lane >= 0 && [...row.ending, ...row.read].map((lane) => <path d={curve(lane)} class={`l${lane % 6}`} />)}
      {row.lane >= 0 && row.goesOn && <path d={`M${own} ${mid}V${ROW}`} class={`l${row.lane % 6}`} />}
      {row.lane >= 0 && <circle cx={own} cy={mid} r="3" class={`l${row.lane % 6}`} />}
    </svg>
  );
}
