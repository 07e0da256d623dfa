// The graphs of every stage: as a list with lanes, and what was fused as a diagram.
import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { fusion as fusionOf, graph as graphOf, index } from "./data";
import { Diagram } from "./diagram";
import { bytes, count, flops } from "./format";
import { GraphPicker } from "./code";
import { GraphList, type GroupBy } from "./graph-list";
import { Prose, Tabs } from "./parts";
import { go } from "./route";
import { pin, pinned, pinnedRelated, shownGraph, shownKernel } from "./select";

export function Graphs(): JSX.Element {
  const filter = useSignal(""), by = useSignal<GroupBy>("nodes");
  const fusion = useComputed(() => index.fusions.findIndex((row) => row.graph === shownGraph.value || (row.graph !== null && index.graphs[row.graph]!.compile_id === index.graphs[shownGraph.value]?.compile_id && sameDirection(row.graph, shownGraph.value))));
  return (
    <div class="graphs-view">
      <section class="pane">
        <header><h1>Graphs</h1><GraphPicker /></header>
        <div class="tools">
          <Tabs label="Collapse" names={["nodes", "modules", "kernels"]} current={by.value} onPick={(name) => (by.value = name as GroupBy)} />
          <input type="search" aria-label="Filter nodes" placeholder="Filter by name, operator or module" onInput={(event) => (filter.value = event.currentTarget.value)} />
        </div>
        <GraphList graph={shownGraph.value} filter={filter.value} by={by.value} />
      </section>
      <section class="pane">
        <header><h2>Fused kernels</h2>{fusion.value >= 0 && <span class="quiet">{index.fusions[fusion.value]!.name} · {count(index.fusions[fusion.value]!.steps, "kernel")}</span>}</header>
        {fusion.value >= 0 ? <Diagram number={fusion.value} /> : <p class="quiet">Nothing was fused in this graph: the recording has no post-grad graph of it.</p>}
      </section>
      <NodeDetail />
    </div>
  );
}

function sameDirection(a: number, b: number): boolean {
  const one = index.graphs[a]!.direction, two = index.graphs[b]!;
  const other = two.direction ?? (["forward", "backward"].includes(two.stage) ? two.stage : null);
  return other === null || one === other;
}

function NodeDetail(): JSX.Element | null {
  const item = pinned.value;
  if (item?.kind === "step") return <StepDetail fusion={item.fusion} step={item.step} />;
  if (item?.kind !== "node") return null;
  const columns = graphOf(item.graph).value;
  if (!columns) return null;
  const n = item.node, text = (t: number) => columns.texts[t]!;
  const stack = columns.stack[n]!.map((frame) => columns.frames[frame]!);
  const kernels = [...pinnedRelated.value.kernels];
  return (
    <aside class="pane detail" aria-label="Node">
      <header><h2>{columns.name[n]}</h2></header>
      <dl class="facts">
        <div><dt>Target</dt><dd>{text(columns.target[n]!)}</dd></div>
        <div><dt>Gives</dt><dd>{text(columns.tensor[n]!) || "–"}</dd></div>
        {columns.bytes[n] !== null && <div><dt>Bytes</dt><dd>{bytes(columns.bytes[n])}</dd></div>}
        {columns.flops[n] ? <div><dt>FLOPs</dt><dd>{flops(columns.flops[n])}</dd></div> : null}
        {text(columns.module[n]!) && <div><dt>Module</dt><dd>{text(columns.module[n]!)}</dd></div>}
        {text(columns.aten[n]!) && <div><dt>ATen operator</dt><dd>{text(columns.aten[n]!)}</dd></div>}
      </dl>
      {columns.inputs[n]!.length > 0 && <p><b>Inputs</b> {columns.inputs[n]!.map((i) => <> <button type="button" class="link" onClick={() => pin({ kind: "node", graph: item.graph, node: i })}>{columns.name[i]}</button></>)}</p>}
      {stack.length > 0 && <><h3>Stack</h3><ol class="stack">{[...stack].reverse().map(([file, line, name]) => <li><a href={`#line-${file}-${line}`}>{index.files[file]}:{line}</a> <span class="quiet">{text(name)}</span></li>)}</ol></>}
      {kernels.length > 0 && <><h3>Kernels</h3><ul class="places">{kernels.map((k) => <li><a href={`#kernel-${k}`} onClick={() => (shownKernel.value = k)}>{index.kernels[k]!.name}</a></li>)}</ul></>}
      <p><button type="button" class="link" onClick={() => go("code")}>Show next to source and kernel</button></p>
    </aside>
  );
}

function StepDetail({ fusion, step }: { fusion: number; step: number }): JSX.Element | null {
  const held = fusionOf(fusion).value;
  const found = held?.steps[step];
  if (!held || !found) return null;
  const kernels = [...pinnedRelated.value.kernels];
  const pairs = held.not_fused.filter((pair) => pair.first === step || pair.second === step);
  const buffers = (sizes: Record<string, number>) => Object.entries(sizes).map(([name, size]) => <li>{name} <span class="quiet">{held.buffers[name]}</span> {bytes(size)}</li>);
  return (
    <aside class="pane detail" aria-label="Kernel launch">
      <header><h2>#{step + 1} {found.name}</h2></header>
      <dl class="facts"><div><dt>Kind</dt><dd>{found.kind}</dd></div><div><dt>Operators</dt><dd>{found.nodes.length}</dd></div><div><dt>Moves</dt><dd>{bytes(found.bytes_moved)}</dd></div><div><dt>Eager would move</dt><dd>{bytes(found.bytes_eager)}</dd></div></dl>
      {kernels[0] !== undefined && <p><a href={`#kernel-${kernels[0]}`}>Kernel source</a></p>}
      {pairs.length > 0 && <><h3>Not fused</h3><ul class="reasons">{pairs.map((pair) => (
        <li><b>with #{(pair.first === step ? pair.second : pair.first) + 1}</b> {pair.saved_bytes_at_most ? <span class="quiet">would save at most {bytes(pair.saved_bytes_at_most)}</span> : null}<br /><Prose text={pair.reason ?? ""} />{pair.change && <p class="fix"><Prose text={pair.change} /></p>}</li>))}</ul></>}
      {([["Reads", found.reads], ["Writes", found.writes]] as const).map(([title, sizes]) => Object.keys(sizes).length > 0 && <><h3>{title}</h3><ul class="places">{buffers(sizes)}</ul></>)}
    </aside>
  );
}
