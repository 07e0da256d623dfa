// Chunks: deflated JSON in script elements, inflated when they are first shown.
import { signal, type Signal } from "@preact/signals";
import type { Fusion, GraphColumns, Index, KernelText, SourceText } from "./types";

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

export const graph = (n: number) => chunk<GraphColumns>(`graph-${n}`);
export const fusion = (n: number) => chunk<Fusion>(`fusion-${n}`);
export const kernel = (n: number) => chunk<KernelText>(`kernel-${n}`);
export const source = (n: number) => chunk<SourceText>(`source-${n}`);
export const report = <T>(kind: string) => chunk<T>(`report-${kind}`);

/** Set before anything is drawn. */
export let index: Index;
export async function start(): Promise<void> {
  index = await load<Index>("index");
}
