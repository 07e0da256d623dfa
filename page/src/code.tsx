// Source, graph and kernel side by side: what is selected in one is marked in the others.
import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { fusion as fusionOf, index, kernel as kernelOf, report, source as sourceOf } from "./data";
import { bytes, count, duration, flopRate, ofPeak, percent, rate, short } from "./format";
import { GraphList } from "./graph-list";
import { Listing } from "./listing";
import { Line, Loading, Rows, Tabs } from "./parts";
import { hovered, kernelName, lineKey, lit, pin, pinned, pinnedRelated, shownFile, shownGraph, shownKernel, timeOf } from "./select";
import type { Config, Finding, Launch, SourceText } from "./types";

const ROW = 20;

export function Code(): JSX.Element {
  if (shownFile.value === null) {
    const slow = [...index.lines].sort((a, b) => b[2] - a[2]).map(([file]) => file);
    const known = (file: number) => index.sources.find((row) => row.file === file);
    const own = index.sources.find((row) => row.owner === "project") ?? slow.map(known).find((row) => row) ?? index.sources[0];
    if (own) shownFile.value = own.file;
  }
  return (
    <div class="code-view">
      <h1 class="hidden">Source, graph and kernel</h1>
      <Selection />
      <SourcePane />
      {index.graphs.length > 0 && <GraphPane />}
      {index.kernels.length > 0 && <KernelPane />}
    </div>
  );
}

function Selection(): JSX.Element {
  const item = pinned.value, found = pinnedRelated.value;
  if (!item) return <p class="selection quiet">Select a line, an operator or a kernel: what belongs to it is marked in the other panes.</p>;
  const parts = [
    found.lines.size && count(found.lines.size, "line"),
    found.nodes.size && count(found.nodes.size, "graph node"),
    found.steps.size && count(found.steps.size, "kernel launch").replace("launchs", "launches"),
  ].filter(Boolean);
  const ns = timeOf.value;
  return (
    <p class="selection" aria-live="polite">
      <b>{describe(item)}</b> {parts.join(" · ")}
      {ns !== null && <> · <b>{duration(ns)}</b>{index.profile ? ` (${percent(ns / (index.profile.busy_ns || index.profile.wall_ns))} of GPU time)` : ""}</>}
      <button type="button" class="link" onClick={() => pin(null)}>Clear</button>
    </p>
  );
}

function describe(item: NonNullable<typeof pinned.value>): string {
  switch (item.kind) {
    case "line": return `${index.files[item.file]}:${item.line}`;
    case "kernel": return short(index.kernels[item.kernel]!.name, 60);
    case "node": return index.graphs[item.graph]!.name;
    case "step": return index.fusions[item.fusion]!.name;
  }
}

function SourcePane(): JSX.Element {
  const file = shownFile.value;
  const options = useMemo(() => {
    const rank: Record<string, number> = { project: 0, library: 1 };
    return [...index.sources].sort((a, b) => (rank[a.owner] ?? 2) - (rank[b.owner] ?? 2));
  }, []);
  const held = file === null ? null : sourceOf(file).value;
  return (
    <section class="pane" aria-label="Source">
      <header><h2>Source</h2>
        <select aria-label="File" value={String(file)} onChange={(event) => (shownFile.value = Number(event.currentTarget.value))}>
          {file !== null && !index.sources.some((row) => row.file === file) && <option value={String(file)}>{index.files[file]}</option>}
          {options.map((row) => <option value={String(row.file)}>{index.files[row.file]}</option>)}
        </select>
      </header>
      {held === null || file === null ? <p class="quiet">The recording has no source of this file.</p> : held ? <SourceLines file={file} held={held} /> : <Loading />}
    </section>
  );
}

interface Mark { breaks: number; others: number; first: string }

function SourceLines({ file, held }: { file: number; held: SourceText }): JSX.Element {
  const marks = useMarks(file);
  const times = useMemo(() => new Map(index.lines.filter(([f]) => f === file).map(([, line, ns]) => [line, ns])), [file]);
  const most = useMemo(() => Math.max(1, ...index.lines.map(([, , ns]) => ns)), []);
  const place = useMemo(() => new Map(held.numbers.map((line, n) => [line, n])), [held]);
  const start = held.numbers.findIndex((line) => times.has(line)) - 4;
  const current = (() => {
    const item = pinned.value;
    if (item?.kind === "line" && item.file === file) return place.get(item.line) ?? null;
    const lines = [...pinnedRelated.value.lines].map((key) => key.split(":").map(Number)).filter(([f]) => f === file).map(([, line]) => line!);
    return lines.length ? place.get(Math.min(...lines)) ?? null : null;
  })();
  return (
    <Rows count={held.numbers.length} height={ROW} label={`Lines of ${index.files[file]}`} current={current} class="source" start={start}
      onMove={(n) => pin({ kind: "line", file, line: held.numbers[n]! })}
      row={(n) => {
        const line = held.numbers[n]!, key = lineKey(file, line), mark = marks.value.get(line), ns = times.get(line);
        const item = { kind: "line", file, line } as const;
        const isGap = n > 0 && held.numbers[n - 1]! < line - 1;
        const isPinned = pinned.value?.kind === "line" && pinned.value.file === file && pinned.value.line === line;
        return (
          <div key={line} role="option" aria-selected={isPinned} onClick={() => pin(item)}
            onMouseEnter={() => (hovered.value = item)} onMouseLeave={() => (hovered.value = null)}
            class={`line ${lit("lines", key) || (lit("callers", key) && "caller")} ${isGap ? "gap" : ""}`}>
            <span class="time" title={ns ? `${duration(ns)} per call` : undefined}>{ns ? <span style={{ width: `${Math.max(6, (ns / most) * 100)}%` }} /> : null}</span>
            <span class={`mark ${mark ? (mark.breaks ? "break" : "other") : ""}`} title={mark?.first} role={mark ? "img" : undefined} aria-label={mark ? `Finding: ${mark.first}` : undefined}>{mark ? "●" : ""}</span>
            <span class="no">{line}</span>
            <Line text={held.lines[n]!} tokens={held.tokens[n]} />
          </div>
        );
      }} />
  );
}

function useMarks(file: number) {
  const explain = report<{ findings: Finding[] }>("explain");
  return useComputed(() => {
    const found = new Map<number, Mark>();
    for (const finding of explain.value?.findings ?? []) {
      if (finding.file !== index.files[file] || !finding.line) continue;
      const mark = found.get(finding.line) ?? { breaks: 0, others: 0, first: finding.message };
      if (finding.rule === "graph-break") mark.breaks++;
      else mark.others++;
      found.set(finding.line, mark);
    }
    return found;
  });
}

function GraphPane(): JSX.Element {
  return (
    <section class="pane" aria-label="Graph">
      <header><h2>Graph</h2><GraphPicker /></header>
      <GraphList graph={shownGraph.value} />
    </section>
  );
}

export function GraphPicker(): JSX.Element {
  return (
    <select aria-label="Graph" value={String(shownGraph.value)} onChange={(event) => (shownGraph.value = Number(event.currentTarget.value))}>
      {index.graphs.map((row, n) => <option value={String(n)}>{row.name} ({row.nodes})</option>)}
    </select>
  );
}

function KernelPane(): JSX.Element {
  const number = shownKernel.value;
  return (
    <section class="pane" aria-label="Kernel">
      <header><h2>Kernel</h2>
        <select aria-label="Kernel" value={String(number)} onChange={(event) => pin({ kind: "kernel", kernel: Number(event.currentTarget.value) })}>
          {number === null && <option value="null">Choose a kernel</option>}
          {index.kernels.map((row, n) => <option value={String(n)}>{row.name}</option>)}
        </select>
      </header>
      {number === null ? <KernelChoice /> : <KernelCode number={number} />}
    </section>
  );
}

function KernelChoice(): JSX.Element {
  const order = index.kernels.map((row, n) => ({ row, n })).sort((a, b) => (b.row.time?.time_ns ?? 0) - (a.row.time?.time_ns ?? 0));
  return <ul class="choice">{order.map(({ row, n }) => <li><button type="button" onClick={() => pin({ kind: "kernel", kernel: n })}><span class="name" title={row.name}>{row.name}</span> <span class="quiet">{row.time ? duration(row.time.time_ns) : count(row.launches, "launch").replace("launchs", "launches")}</span></button></li>)}</ul>;
}

/** What a function of a library launches; its source is not part of a recording. */
function DeviceKernels({ number }: { number: number }): JSX.Element {
  const name = index.kernels[number]!.name;
  const found = new Map<string, { count: number; ns: number; launch: Launch }>();
  index.fusions.forEach((_, f) => fusionOf(f).value?.steps.forEach((step) => {
    if (kernelName(step.name) !== name) return;
    for (const launch of step.work?.launches ?? []) {
      const row = found.get(launch.name) ?? { count: 0, ns: 0, launch };
      found.set(launch.name, { ...row, count: row.count + 1, ns: row.ns + launch.median_ns });
    }
  }));
  return (
    <ul class="device">{[...found.values()].sort((a, b) => b.ns - a.ns).map(({ count, ns, launch }) => (
      <li><code>{launch.name}</code><p class="quiet">{count}× · {duration(ns)} · grid {launch.grid?.join("×")} · block {launch.block?.join("×")}{launch.registers ? ` · ${launch.registers} registers` : ""}{launch.shared_bytes ? ` · ${bytes(launch.shared_bytes)} shared` : ""}</p></li>))}
    </ul>
  );
}

const NAMES: Record<string, string> = { source: "Source", ttir: "TTIR", ttgir: "TTGIR", llir: "LLVM IR", ptx: "PTX", sass: "SASS" };

export function KernelFacts({ number }: { number: number }): JSX.Element {
  const row = index.kernels[number]!;
  const time = row.time;
  const facts: [string, string][] = [["Launches", String(time?.calls ?? row.launches)]];
  if (time) {
    facts.push(["Time per call", duration(time.time_ns)]);
    if (index.profile) facts.push(["Share", percent(time.time_ns / (index.profile.busy_ns || index.profile.wall_ns))]);
    if (time.bytes) facts.push(["Throughput", rate((time.bytes / time.time_ns) * 1e9)]);
    if (time.flops) facts.push(["Compute", flopRate((time.flops / time.time_ns) * 1e9)]);
    if (time.bound) facts.push(["Of peak", ofPeak(time.bound, time.share_of_ceiling)]);
  } else if (row.bytes) facts.push(["Traffic", bytes(row.bytes)]);
  if (row.registers) facts.push(["Registers", String(row.registers)]);
  if (row.spills) facts.push(["Spills", String(row.spills)]);
  return <dl class="facts">{facts.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

/** The configurations that the heuristics list, with what they compile to. */
function Configs({ configs }: { configs: Config[] }): JSX.Element {
  const order = [...configs].sort((a, b) => (a.predicted_ns ?? Infinity) - (b.predicted_ns ?? Infinity));
  return (
    <details class="configs"><summary>{count(configs.length, "configuration")}{order[0]!.predicted_ns ? `, predicted ${duration(order[0]!.predicted_ns)}` : ""}</summary>
      <div class="scroll" tabIndex={0}><table>
        <thead><tr><th scope="col">Configuration</th><th scope="col" class="num">Warps</th><th scope="col" class="num">Registers</th><th scope="col" class="num">Spills</th><th scope="col" class="num">Shared</th><th scope="col" class="num">Occupancy</th><th scope="col" class="num">Predicted</th></tr></thead>
        <tbody>{order.map((item) => (
          <tr><th scope="row">{Object.entries(item.values).map(([name, value]) => `${name}=${value}`).join(" ")}</th><td class="num">{item.num_warps}</td><td class="num">{item.resources?.registers ?? "–"}</td><td class="num">{item.resources?.spilled_registers ?? "–"}</td><td class="num">{bytes(item.resources?.shared_bytes)}</td><td class="num">{percent(item.occupancy)}</td><td class="num">{item.error ?? duration(item.predicted_ns)}</td></tr>))}</tbody>
      </table></div>
    </details>
  );
}

export function KernelCode({ number }: { number: number }): JSX.Element {
  const held = kernelOf(number);
  const tab = useSignal("source");
  if (held === undefined) return <Loading />;
  const names = Object.keys(held?.texts ?? {});
  const shown = names.includes(tab.value) ? tab.value : names[0];
  return (
    <>
      <KernelFacts number={number} />
      {held && held.configs.length > 0 && <Configs configs={held.configs} />}
      {names.length > 1 && <Tabs label="Form" names={names.map((name) => NAMES[name] ?? name)} current={NAMES[shown!] ?? shown!} onPick={(name) => (tab.value = names.find((n) => NAMES[n] === name) ?? "source")} />}
      {shown
        ? <Listing texts={held!.texts} shown={shown} />
        : <DeviceKernels number={number} />}
    </>
  );
}
