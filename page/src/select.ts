// One selection that every view reads, and what belongs to it in the source, the graphs and the kernels.
import { computed, effect, signal } from "@preact/signals";
import { fusion, graph, index } from "./data";
import type { Fusion, GraphColumns } from "./types";

export type Item =
  | { kind: "line"; file: number; line: number }
  | { kind: "node"; graph: number; node: number }
  | { kind: "step"; fusion: number; step: number }
  | { kind: "kernel"; kernel: number };

export const pinned = signal<Item | null>(null);
export const hovered = signal<Item | null>(null);
/** What the graph pane, the source pane and the kernel pane show. */
export const shownGraph = signal(0);
/** The graph from which kernels were made, if there is one. */
export const firstGraph = () => index.fusions[0]?.graph ?? 0;
export const shownFile = signal<number | null>(null);
export const shownKernel = signal<number | null>(null);

export interface Related {
  lines: Set<string>;
  /** Lines further out on the stacks of the same nodes. */
  callers: Set<string>;
  nodes: Set<string>;
  steps: Set<string>;
  kernels: Set<number>;
}
export const lineKey = (file: number, line: number) => `${file}:${line}`;
export const nodeKey = (graph: number, node: number) => `${graph}.${node}`;
export const stepKey = (fusion: number, step: number) => `${fusion}.${step}`;
const nothing = (): Related => ({
  lines: new Set(), callers: new Set(), nodes: new Set(), steps: new Set(), kernels: new Set(),
});

/** The graphs and fusions that are inflated; asking for them starts it. */
const graphs = computed(() => index.graphs.map((_, n) => graph(n).value ?? null));
const fusions = computed(() => index.fusions.map((_, n) => fusion(n).value ?? null));
export const kernelNumbers = computed(() => new Map(index.kernels.map((row, n) => [row.name, n])));

/** By graph: the steps that compute each node. */
const stepsOfNodes = computed(() => {
  const found = new Map<string, [number, number][]>();
  fusions.value.forEach((item, f) => {
    const g = index.fusions[f]!.graph;
    if (!item || g === null) return;
    item.steps.forEach((step, s) => {
      for (const node of step.nodes) {
        const key = nodeKey(g, node);
        found.set(key, [...(found.get(key) ?? []), [f, s]]);
      }
    });
  });
  return found;
});

/** The names under which a node is known in the stages before. */
function names(columns: GraphColumns, node: number): Set<string> {
  return new Set([columns.name[node]!, ...columns.earlier[node]!]);
}

function nodesOf(item: Item): [number, number][] {
  const all = graphs.value;
  if (item.kind === "node") {
    const own = all[item.graph];
    if (!own) return [[item.graph, item.node]];
    const row = index.graphs[item.graph]!;
    const known = names(own, item.node);
    const found: [number, number][] = [[item.graph, item.node]];
    all.forEach((columns, g) => {
      if (!columns || g === item.graph || index.graphs[g]!.compile_id !== row.compile_id) return;
      const isLater = index.graphs.indexOf(row) < g;
      columns.name.forEach((name, n) => {
        const matches = isLater
          ? columns.earlier[n]!.some((earlier) => known.has(earlier))
          : known.has(name) && own.earlier[item.node]!.length > 0;
        if (matches) found.push([g, n]);
      });
    });
    return found;
  }
  if (item.kind === "line") {
    const found: [number, number][] = [];
    all.forEach((columns, g) => {
      if (!columns) return;
      const here = columns.frames.map(([file, line]) => file === item.file && line === item.line);
      columns.stack.forEach((stack, n) => {
        if (stack.some((frame) => here[frame])) found.push([g, n]);
      });
    });
    return found;
  }
  return stepsOf(item).flatMap(([f, s]) => {
    const g = index.fusions[f]!.graph;
    return g === null ? [] : (fusions.value[f]?.steps[s]?.nodes ?? []).map((n): [number, number] => [g, n]);
  });
}

function stepsOf(item: Item): [number, number][] {
  if (item.kind === "step") return [[item.fusion, item.step]];
  if (item.kind === "kernel") {
    const name = index.kernels[item.kernel]?.name;
    return fusions.value.flatMap((held, f) =>
      (held?.steps ?? []).flatMap((step, s): [number, number][] => (kernelName(step.name) === name ? [[f, s]] : [])),
    );
  }
  return [];
}

/** Functions of libraries have their overload in one place and not in the other. */
export function kernelName(name: string): string {
  if (kernelNumbers.value.has(name)) return name;
  const parts = name.split(".");
  return [parts.slice(1, -1).join("."), parts.slice(0, -1).join("."), parts[1] ?? ""].find((n) => kernelNumbers.value.has(n)) ?? name;
}

function relate(item: Item | null): Related {
  const related = nothing();
  if (!item) return related;
  const own = nodesOf(item);
  for (const [g, n] of own) {
    related.nodes.add(nodeKey(g, n));
    const columns = graphs.value[g];
    const stack = columns?.stack[n] ?? [];
    if (item.kind === "line") continue;
    stack.forEach((frame, depth) => {
      const [file, line] = columns!.frames[frame]!;
      (depth === stack.length - 1 ? related.lines : related.callers).add(lineKey(file, line));
    });
  }
  if (item.kind === "line") related.lines.add(lineKey(item.file, item.line));
  const direct = stepsOf(item);
  const through = item.kind === "line" || item.kind === "node"
    ? own.flatMap(([g, n]) => stepsOfNodes.value.get(nodeKey(g, n)) ?? [])
    : [];
  for (const [f, s] of [...direct, ...through]) {
    related.steps.add(stepKey(f, s));
    const name = fusions.value[f]?.steps[s]?.name;
    const kernel = name === undefined ? undefined : kernelNumbers.value.get(kernelName(name));
    if (kernel !== undefined) related.kernels.add(kernel);
  }
  if (item.kind === "kernel") {
    related.kernels.add(item.kernel);
    for (const [file, line] of index.kernels[item.kernel]?.lines ?? []) related.lines.add(lineKey(file, line));
  }
  return related;
}

export const pinnedRelated = computed(() => relate(pinned.value));
const hoveredRelated = computed(() => relate(hovered.value));

/** How something is marked: it belongs to what is pinned, or to what the pointer is on. */
export function lit<K extends keyof Related>(kind: K, key: Related[K] extends Set<infer T> ? T : never): "on" | "hint" | "" {
  const has = (found: Related) => (found[kind] as Set<unknown>).has(key);
  return has(pinnedRelated.value) ? "on" : has(hoveredRelated.value) ? "hint" : "";
}
export const timeOf = computed(() => {
  // Time of the pinned item's steps, where a profile has it.
  let sum = 0, known = false;
  for (const key of pinnedRelated.value.steps) {
    const [f, s] = key.split(".").map(Number);
    const work = fusions.value[f!]?.steps[s!]?.work;
    if (work) (known = true), (sum += work.time_ns);
  }
  return known ? sum : null;
});

export function pin(item: Item | null): void {
  hovered.value = null;
  pinned.value = item;
}
export const same = (a: Item | null, b: Item | null) => JSON.stringify(a) === JSON.stringify(b);

/** Brings what belongs to the selection into the other panes. */
export function follow(): () => void {
  return effect(() => {
    const item = pinned.value;
    if (!item) return;
    const found = pinnedRelated.value;
    if (item.kind === "line") shownFile.value = item.file;
    else if (found.lines.size) {
      const files = [...found.lines].map((key) => Number(key.split(":")[0]));
      const known = files.find((file) => index.sources.some((row) => row.file === file));
      if (shownFile.peek() === null || !files.includes(shownFile.peek()!)) shownFile.value = known ?? files[0]!;
    }
    if (item.kind === "kernel") shownKernel.value = item.kernel;
    else if (found.kernels.size && !found.kernels.has(shownKernel.peek() ?? -1)) shownKernel.value = [...found.kernels][0]!;
    if (item.kind === "node") shownGraph.value = item.graph;
    else if (found.nodes.size && ![...found.nodes].some((key) => Number(key.split(".")[0]) === shownGraph.peek())) {
      const withSteps = [...found.nodes].map((key) => Number(key.split(".")[0]));
      shownGraph.value = withSteps.find((g) => index.fusions.some((f) => f.graph === g)) ?? withSteps[0]!;
    }
  });
}
export type { Fusion };
