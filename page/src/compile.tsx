// Where compile time goes: compilations on a time line, each divided into its stages.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { index, report } from "./data";
import { Flames } from "./flame";
import { duration, functionName, number, percent, sentence } from "./format";
import { Loading, Prose } from "./parts";

type Stages = Record<string, number>;
interface Compilation { process: number; compile_id: string; occurrence: number; is_backward: boolean; begin_ns: number; name: string; file: string; first_line: number; user_file: string | null; user_line: number | null; time_ns: number; by_stage_ns: Stages }
interface ColdStart {
  compile_time_ns: number; compile_time_by_stage_ns: Stages; compilations: Compilation[];
  caches: { cache: string; hits: number; misses: number; bypasses: number; saved_ns: number; reasons: unknown[] }[];
  lines: { file: string; line: number; name: string; compilations: number; time_ns: number }[];
  notices: string[];
}
/** In the order in which a compilation goes through them; each has its color. */
const ORDER = ["Dynamo", "guards", "AOTAutograd", "backend", "Inductor passes", "lowering", "scheduling", "code generation", "Triton compilation", "autotuning", "loading kernels", "caches", "unattributed"];
export const color = (stage: string) => `s${(ORDER.indexOf(stage) + 13) % 13}`;
const sorted = (stages: Stages) => Object.entries(stages).filter(([, ns]) => ns > 0).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));

export function Compile(): JSX.Element {
  const held = report<ColdStart>("cold-start").value;
  const picked = useSignal<string | null>(null);
  if (!held) return <Loading />;
  const stages = sorted(held.compile_time_by_stage_ns);
  const total = held.compile_time_ns || 1;
  return (
    <div class="page">
      <h1>Compile time {duration(held.compile_time_ns)}</h1>
      <div class="stack-bar" role="img" aria-label={stages.map(([name, ns]) => `${name} ${duration(ns)}`).join(", ")}>
        {stages.map(([name, ns]) => <span class={`${color(name)} ${picked.value && picked.value !== name ? "off" : ""}`} style={{ width: `${(ns / total) * 100}%` }} title={`${name}: ${duration(ns)}`} />)}
      </div>
      <ul class="legend">{stages.map(([name, ns]) => (
        <li><button type="button" aria-pressed={picked.value === name} onClick={() => (picked.value = picked.value === name ? null : name)}><span class={`swatch ${color(name)}`} />{name} <b>{duration(ns)}</b> <span class="quiet">{percent(ns / total)}</span></button></li>))}</ul>
      <Flames color={color} picked={picked.value} />
      <section><h2>Compilations</h2><Timeline held={held} picked={picked.value} /></section>
      <section><h2>Caches</h2>
        <div class="scroll" tabIndex={0}><table><thead><tr><th scope="col">Cache</th><th scope="col" class="num">Hits</th><th scope="col" class="num">Misses</th><th scope="col" class="num">Bypasses</th><th scope="col" class="num">Saved</th></tr></thead>
          <tbody>{held.caches.map((row) => <tr><th scope="row">{row.cache}</th><td class="num">{number(row.hits)}</td><td class="num">{number(row.misses)}</td><td class="num">{number(row.bypasses)}</td><td class="num">{duration(row.saved_ns)}</td></tr>)}</tbody></table></div>
      </section>
      {held.notices.map((note) => <p class="note"><Prose text={sentence(note)} /></p>)}
    </div>
  );
}

function Timeline({ held, picked }: { held: ColdStart; picked: string | null }): JSX.Element {
  const items = [...held.compilations].sort((a, b) => a.begin_ns - b.begin_ns);
  if (!items.length) return <p class="quiet">The recording has no times of compilations.</p>;
  // Processes begin at different times: what is compared is how long they take.
  const begins = new Map<number, number>();
  for (const item of items) if (!begins.has(item.process)) begins.set(item.process, item.begin_ns);
  const since = (item: Compilation) => item.begin_ns - begins.get(item.process)!;
  const all = Math.max(1, ...items.map((item) => since(item) + item.time_ns));
  const share = (ns: number) => `${(ns / all) * 100}%`;
  return (
    <ol class="timeline">{items.map((item) => {
      const file = index.files.indexOf(item.user_file ?? item.file), line = item.user_line ?? item.first_line;
      return (
        <li>
          <span class="bars-name">{item.compile_id}{item.is_backward ? " backward" : ""} {file >= 0 ? <a href={`#line-${file}-${line}`}>{functionName(item.name)}</a> : functionName(item.name)}</span>
          <span class="track">
            <span class="span" style={{ left: share(since(item)), width: `max(2px, ${share(item.time_ns)})` }}>
              {sorted(item.by_stage_ns).map(([name, ns]) => <span class={`${color(name)} ${picked && picked !== name ? "off" : ""}`} style={{ width: `${(ns / item.time_ns) * 100}%` }} title={`${name}: ${duration(ns)}`} />)}
            </span>
          </span>
          <span class="num">{duration(picked ? item.by_stage_ns[picked] ?? 0 : item.time_ns)}</span>
        </li>);
    })}</ol>
  );
}
