// Finds lines, nodes, kernels and findings by text: Ctrl+K.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { graph as graphOf, index, report } from "./data";
import { anchor } from "./overview";
import { go } from "./route";
import type { Finding } from "./types";

export const isOpen = signal(false);
interface Hit { kind: string; text: string; hash: string }
const MOST = 40;

function hits(text: string): Hit[] {
  const find = text.toLowerCase();
  if (find.length < 2) return [];
  const found: Hit[] = [];
  const add = (kind: string, label: string, hash: string, also = "") => {
    if (found.length < MOST && `${label} ${also}`.toLowerCase().includes(find)) found.push({ kind, text: label, hash });
  };
  const counts = new Map<string, number>();
  for (const finding of report<{ findings: Finding[] }>("explain").value?.findings ?? []) {
    const n = counts.get(finding.rule) ?? 0;
    counts.set(finding.rule, n + 1);
    add("finding", `${finding.file ?? ""}:${finding.line ?? ""} ${finding.message}`, anchor(finding, n));
  }
  index.kernels.forEach((row, n) => add("kernel", row.name, `kernel-${n}`));
  index.sources.forEach((row) => add("file", index.files[row.file]!, `line-${row.file}-1`));
  index.graphs.forEach((row, g) => {
    const columns = graphOf(g).value;
    columns?.name.forEach((name, n) => add("node", `${row.name}: ${name}`, `graph-${g}-${n}`, `${columns.texts[columns.target[n]!]} ${columns.texts[columns.module[n]!]}`));
  });
  return found;
}

export function Search(): JSX.Element {
  const text = useSignal(""), at = useSignal(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const found = isOpen.value ? hits(text.value) : [];
  const pick = (hit: Hit | undefined) => { if (hit) (isOpen.value = false), go(hit.hash); };
  return (
    <dialog ref={dialog} class="search" aria-label="Search" onClose={() => (isOpen.value = false)} onClick={(event) => event.target === dialog.current && (isOpen.value = false)}>
      <input type="search" placeholder="Find a line, a node, a kernel, a finding" aria-label="Search text" value={text.value}
        onInput={(event) => { text.value = event.currentTarget.value; at.value = 0; }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") (at.value = Math.min(found.length - 1, at.value + 1)), event.preventDefault();
          else if (event.key === "ArrowUp") (at.value = Math.max(0, at.value - 1)), event.preventDefault();
          else if (event.key === "Enter") pick(found[at.value]);
        }} />
      <ul role="listbox" aria-label="Results">{found.map((hit, n) => (
        <li role="option" aria-selected={n === at.value} onClick={() => pick(hit)}><span class="quiet">{hit.kind}</span> {hit.text}</li>))}</ul>
      {text.value.length > 1 && !found.length && <p class="quiet">Nothing found.</p>}
    </dialog>
  );
}
