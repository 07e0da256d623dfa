// What a call allocates over time, and what is in memory at its peak; an estimate where nobody measured.
import type { JSX } from "preact";
import { Chart } from "./chart";
import { fusion as fusionOf, index, report } from "./data";
import { bytes, count, sentence, times } from "./format";
import { Bar, Loading, Prose } from "./parts";
import type { Fusion } from "./types";

interface Held { what: string; name: string | null; count: number; bytes: number; shape: number[] | null; dtype: string | null; lines: { file: string; line: number }[]; cuda_graph: boolean }
interface Peak { peak_bytes: number | null; before_bytes: number | null; added_bytes: number | null; cuda_graphs_bytes: number | null; at_peak: Held[]; curve: number[]; error: string | null }
interface Use { ratio: number | null; compiled: Peak; eager: Peak | null; savings: { at_most_bytes: number; because: string; change: string }[] }
interface Profile { profiles: { memory: Use | null }[] }

/** What is there before a call, as inspector/features/profile/memory/memory.py says. */
const BASE = ["parameter", "buffer", "gradient", "optimizer", "input", "program"];

export function Memory(): JSX.Element {
  const held = report<Profile>("profile").value;
  if (held === undefined) return <Loading />;
  const memory = held?.profiles[0]?.memory;
  return memory?.compiled ? <Measured memory={memory} /> : <Estimated />;
}

function Measured({ memory }: { memory: Use }): JSX.Element {
  const { compiled, eager } = memory;
  return (
    <div class="page">
      <h1>Peak memory {bytes(compiled.peak_bytes)}{memory.ratio ? `, ${times(memory.ratio)} of eager` : ""}</h1>
      <p>{bytes(compiled.before_bytes)} are held before the call. The call adds {bytes(compiled.added_bytes)}{eager ? `; in eager, ${bytes(eager.added_bytes)}` : ""}.{compiled.cuda_graphs_bytes ? ` CUDA graphs hold ${bytes(compiled.cuda_graphs_bytes)}, allocated once.` : ""}</p>
      {memory.savings.map((item) => <p class="fix"><b>Up to {bytes(item.at_most_bytes)}</b> <Prose text={`${sentence(item.because)}. ${sentence(item.change)}.`} /></p>)}
      {(compiled.curve.length > 0 || eager) && (
        <section><h2>Memory over the call</h2>
          <Chart label="Memory over the call" show={bytes} series={[{ name: "Compiled", points: compiled.curve }, { name: "Eager", points: eager?.curve ?? [] }]}
            below={compiled.curve.length ? "Bytes above those before the call, after each allocation and free, in order. The two calls have different numbers of allocations." : "Bytes above those before the call, after each allocation and free, in order. The compiled call allocates nothing outside CUDA graphs."} />
        </section>)}
      <section><h2>Tensors at the peak</h2>
        <div class="beside"><At name="Compiled" peak={compiled} />{eager && <At name="Eager" peak={eager} />}</div>
      </section>
    </div>
  );
}

function At({ name, peak }: { name: string; peak: Peak }): JSX.Element {
  const isBefore = (item: Held) => BASE.includes(item.what) && !item.name && !item.cuda_graph;
  const added = peak.at_peak.filter((item) => !isBefore(item)), before = peak.at_peak.filter(isBefore);
  const most = Math.max(1, ...added.map((item) => item.bytes));
  return (
    <div><h3>{name} <span class="quiet">{bytes(peak.peak_bytes)}</span></h3>
      <ul class="bars">
        {added.slice(0, 40).map((item) => <li><Tensor item={item} /><Bar share={item.bytes / most} /><span class="num">{bytes(item.bytes)}</span></li>)}
        {before.map((item) => <li class="quiet"><span>{count(item.count, item.what)}, before the call</span><span /><span class="num">{bytes(item.bytes)}</span></li>)}
      </ul>
    </div>
  );
}

function Tensor({ item }: { item: Held }): JSX.Element {
  return (
    <span class="tensor"><code>{item.name ?? count(item.count, item.what)}</code>
      <span class="quiet">{[item.name && item.what, item.shape && `${item.dtype}[${item.shape.join(", ")}]`, item.count > 1 && item.name ? `${item.count}×` : null].filter(Boolean).join(" · ")} {item.lines[0] && <Where {...item.lines.at(-1)!} />}</span></span>
  );
}

function Where({ file, line }: { file: string; line: number }): JSX.Element | null {
  const at = index.files.findIndex((name) => file === name || file.endsWith(`/${name}`));
  return at < 0 ? null : <a href={`#line-${at}-${line}`}>{index.files[at]!.split("/").at(-1)}:{line}</a>;
}

interface Estimate { name: string; points: number[]; held: { name: string; bytes: number }[] }

/** Buffers live from the kernel that writes them to the last that reads them; what nothing reads is returned. */
function estimate(held: Fusion, name: string): Estimate {
  const last = new Map<string, number>(), sizes = new Map<string, number>();
  held.steps.forEach((step, n) => Object.keys(step.reads).forEach((buffer) => last.set(buffer, n)));
  let now = 0, most = -1, at: string[] = [];
  const points = held.steps.map((step, n) => {
    for (const [buffer, size] of Object.entries(step.writes)) if (!sizes.has(buffer)) sizes.set(buffer, size), (now += size);
    const point = now;
    if (point > most) (most = point), (at = [...sizes.keys()]);
    for (const [buffer, until] of last) if (until === n && sizes.has(buffer)) (now -= sizes.get(buffer)!), sizes.delete(buffer);
    return point;
  });
  const size = new Map(held.steps.flatMap((step) => Object.entries(step.writes)));
  return { name, points, held: at.map((buffer) => ({ name: `${buffer} ${held.buffers[buffer] ?? ""}`, bytes: size.get(buffer)! })).sort((a, b) => b.bytes - a.bytes) };
}

const MOST_GRAPHS = 6;

function Estimated(): JSX.Element {
  const found = index.fusions.flatMap((row, n) => {
    const held = fusionOf(n).value;
    return held ? [estimate(held, row.name)] : [];
  }).sort((a, b) => Math.max(...b.points) - Math.max(...a.points));
  if (!found.length) return <Loading />;
  return (
    <div class="page">
      <h1>Peak memory of the graphs: about {bytes(Math.max(...found[0]!.points))}</h1>
      <p class="note">An estimate from the sizes of the generated code's buffers, without parameters and inputs. <code>--profile</code> measures it.</p>
      {found.slice(0, MOST_GRAPHS).map(({ name, points, held }) => {
        const most = Math.max(...points);
        return (
          <section><h2>{name}</h2>
            <Chart label={`Estimated memory of ${name}`} show={bytes} series={[{ name: "Estimate", points }]} below={`Buffers that live while each of ${count(points.length, "kernel")} runs.`} />
            <details><summary>Buffers at the peak</summary><ul class="bars">{held.slice(0, 40).map((item) => <li><code>{item.name}</code><Bar share={item.bytes / most} /><span class="num">{bytes(item.bytes)}</span></li>)}</ul></details>
          </section>);
      })}
      {found.length > MOST_GRAPHS && <p class="quiet">{count(found.length - MOST_GRAPHS, "smaller graph")} left out.</p>}
    </div>
  );
}
