// Chunks: deflated JSON in script elements, inflated when they are first shown.
import { computed, signal, type Signal } from "@preact/signals";
import type { Fusion, GraphColumns, Index, KernelText, SourceText, WrittenGraph } from "./types";

const cache = new Map<string, Signal<unknown>>();

async function inflate(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

export async function load<T>(name: string): Promise<T> {
  const held = chunk<T>(name);
  while (held.value === undefined) await new Promise((done) => setTimeout(done, 4));
  return held.value as T;
}

/** A chunk as a signal; undefined until it is inflated, null where the page has none. */
export function chunk<T>(name: string): Signal<T | undefined | null> {
  let held = cache.get(name);
  if (!held) {
    const made = signal<unknown>(undefined);
    cache.set(name, (held = made));
    const element = document.getElementById(`chunk-${name}`);
    if (!element) made.value = null;
    else void inflate(element.textContent ?? "").then((value) => (made.value = value));
  }
  return held as Signal<T | undefined | null>;
}

/** Names in which torch counts: a text, and how far the number is from the one that would be next. */
function names(pairs: number[], texts: string[]): string[] {
  const expected = new Map<number, number>();
  const found: string[] = [];
  for (let n = 0; n < pairs.length; n += 2) {
    const base = pairs[n]!, number = pairs[n + 1]! + (expected.get(base) ?? -1);
    expected.set(base, Math.max(number, 0) + 1);
    found.push(number < 0 ? texts[base]! : `${texts[base]}_${number}`);
  }
  return found;
}

function decoded(written: WrittenGraph): GraphColumns {
  const earlier = names(written.earlier, written.texts);
  let at = 0;
  return {
    ...written,
    name: names(written.name, written.texts),
    inputs: written.inputs.map((back, n) => back.map((step) => n - step)),
    stack: written.stack.map((number) => written.stacks[number]!),
    earlier: written.earlier_count.map((count) => earlier.slice(at, (at += count))),
  };
}

const graphs = new Map<number, Signal<GraphColumns | undefined | null>>();
/** A graph as a signal, as `chunk`. */
export function graph(n: number): Signal<GraphColumns | undefined | null> {
  const written = chunk<WrittenGraph>(`graph-${n}`);
  let held = graphs.get(n);
  if (!held) graphs.set(n, (held = computed(() => written.value && decoded(written.value)) as Signal<GraphColumns | undefined | null>));
  return held;
}
export const fusion = (n: number) => chunk<Fusion>(`fusion-${n}`);
/** Kernels of a chunk: one has much in common with the next. */
const TOGETHER = 32;
export function kernel(n: number): KernelText | undefined | null {
  const held = chunk<KernelText[]>(`kernels-${Math.floor(n / TOGETHER)}`).value;
  return held && (held[n % TOGETHER] ?? null);
}
export const source = (n: number) => chunk<SourceText>(`source-${n}`);
export const report = <T>(kind: string) => chunk<T>(`report-${kind}`);

/** Set before anything is drawn. */
export let index: Index;
export async function start(): Promise<void> {
  index = await load<Index>("index");
}
