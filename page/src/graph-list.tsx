// A graph as a list in execution order, with lanes: for thousands of nodes, by keyboard, for screen readers.
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { graph as graphOf, index } from "./data";
import { bytes } from "./format";
import { lanes, MAX_LANES, type Row } from "./lanes";
import { Loading, Rows } from "./parts";
import { hovered, lit, nodeKey, pin, pinned, pinnedRelated } from "./select";
import type { GraphColumns } from "./types";

const ROW = 24, LANE = 9;

export function GraphList({ graph, filter = "" }: { graph: number; filter?: string }): JSX.Element {
  const columns = graphOf(graph).value;
  return columns ? <List graph={graph} columns={columns} filter={filter} /> : <Loading />;
}

function List({ graph, columns, filter }: { graph: number; columns: GraphColumns; filter: string }): JSX.Element {
  const rows = useMemo(() => lanes(columns), [columns]);
  const width = useMemo(() => Math.min(MAX_LANES, Math.max(1, ...rows.map((row) => row.lane + 1))) * LANE + 8, [rows]);
  const shown = useMemo(() => {
    const text = filter.toLowerCase();
    const all = columns.name.map((_, n) => n);
    const matches = (n: number) => [columns.name[n], columns.texts[columns.target[n]!], columns.texts[columns.module[n]!]].some((t) => t?.toLowerCase().includes(text));
    return text ? all.filter(matches) : all;
  }, [columns, filter]);
  const current = (() => {
    const item = pinned.value;
    if (item?.kind === "node" && item.graph === graph) return shown.indexOf(item.node);
    const found = [...pinnedRelated.value.nodes].map((key) => key.split(".").map(Number)).filter(([g]) => g === graph);
    const numbers = found.map(([, n]) => n!).sort((a, b) => a - b);
    const first = numbers.find((n) => columns.texts[columns.op[n]!]!.startsWith("call_")) ?? numbers[0];
    return first === undefined ? null : shown.indexOf(first);
  })();
  return (
    <Rows count={shown.length} height={ROW} label={`Nodes of ${index.graphs[graph]!.name}`} current={current} class="nodes"
      onMove={(n) => pin({ kind: "node", graph, node: shown[n]! })}
      row={(n) => <Node graph={graph} columns={columns} n={shown[n]!} row={rows[shown[n]!]!} width={width} hasLanes={!filter} />} />
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
