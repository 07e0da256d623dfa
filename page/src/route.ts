// The address is the state: #kernel-7, #line-2-33, #graph-0-12, #break-3, or a view's name.
import { signal } from "@preact/signals";
import { index } from "./data";
import { pin, pinned, shownFile, shownGraph, shownKernel } from "./select";

export const VIEWS = ["overview", "code", "graphs", "kernels", "guards", "compile", "memory", "compare"] as const;
export type View = (typeof VIEWS)[number] | `report-${string}`;
export const view = signal<View>("overview");

export function go(hash: string): void {
  if (location.hash === `#${hash}`) read();
  else location.hash = hash;
}

/** Reads the address; called at the start and when it changes. */
export function read(): void {
  const [name = "", a, b] = decodeURIComponent(location.hash.slice(1)).split("-");
  const first = Number(a), second = Number(b);
  const whole = location.hash.slice(1) as View;
  if (views().includes(whole)) view.value = whole;
  else if (name === "line" && first < index.files.length) {
    shownFile.value = first;
    pin({ kind: "line", file: first, line: second });
    view.value = "code";
  } else if (name === "kernel" && first < index.kernels.length) {
    shownKernel.value = first;
    pin({ kind: "kernel", kernel: first });
    view.value = view.peek() === "code" ? "code" : "kernels";
  } else if (name === "graph" && first < index.graphs.length) {
    shownGraph.value = first;
    if (b !== undefined) pin({ kind: "node", graph: first, node: second });
    view.value = view.peek() === "code" ? "code" : "graphs";
  } else if (location.hash.length > 1) {
    view.value = views()[0]!;
    const show = (left: number) => {
      const target = document.getElementById(location.hash.slice(1));
      if (target) target.scrollIntoView(), target.focus({ preventScroll: true });
      else if (left) setTimeout(() => show(left - 1), 50);
    };
    show(20);
  } else view.value = views()[0]!;
}

/** A report that is alone on its page comes first. */
export const views = (): View[] => {
  const own = index.pages.map(([kind]) => `report-${kind}` as const), others = VIEWS.filter(isThere);
  return others.includes("overview") ? [...others, ...own] : [...own, ...others];
};

function isThere(name: (typeof VIEWS)[number]): boolean {
  const has = (kind: string) => index.reports.includes(kind);
  switch (name) {
    case "overview": return has("explain") || index.profile !== null;
    case "code": return index.sources.length > 0 || index.graphs.length > 0;
    case "graphs": return index.graphs.length > 0;
    case "kernels": return index.kernels.length > 0;
    case "guards": return has("guards");
    case "compile": return has("cold-start");
    case "compare": return has("diff");
    case "memory": return index.profile !== null || index.fusions.length > 0;
  }
}
export { pinned };
