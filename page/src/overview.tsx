// The verdict, the figures, and the findings with their source and fix.
import type { JSX } from "preact";
import { index, report } from "./data";
import { bytes, count, duration, number, percent, sentence, times } from "./format";
import { go } from "./route";
import { Bar, Prose } from "./parts";
import type { Finding } from "./types";

interface Explain { findings: Finding[]; next_steps: string[]; warnings: { message: string }[] }

export function headline(): string {
  const faster = index.profile?.faster_than_eager;
  const [low, high] = index.profile?.faster_than_eager_interval ?? [faster, faster];
  const speed = !faster ? "" : low! <= 1 && high! >= 1 ? "No measurable difference from eager"
    : faster >= 1 ? `${times(faster)} faster than eager` : `${times(1 / faster)} slower than eager`;
  const again = index.summary?.recompiles && !index.headline.includes("recomp") ? count(index.summary.recompiles, "recompilation") : "";
  return [again, index.headline.replace(/\.$/, ""), speed].map(sentence).filter(Boolean).join(". ") || index.title;
}

function Figure({ value, label, detail, to, tone = "" }: { value: string; label: string; detail?: string; to?: string; tone?: "good" | "bad" | "" }): JSX.Element {
  const inner = <><span>{label}</span> <strong class={tone}>{value}</strong>{detail && <small>{detail}</small>}</>;
  return <li>{to ? <a class="figure" href={`#${to}`}>{inner}</a> : <div class="figure">{inner}</div>}</li>;
}

/** How near all kernels are to what limits each, weighted by time. */
function ofPeakOnAverage(): string | null {
  const timed = index.kernels.flatMap(({ time }) => (time?.share_of_ceiling && time.bound !== "launch" ? [time] : []));
  const all = timed.reduce((sum, time) => sum + time.time_ns, 0);
  return all ? `${percent(timed.reduce((sum, time) => sum + time.time_ns * time.share_of_ceiling, 0) / all)} of peak` : null;
}

function Figures(): JSX.Element {
  const { summary, profile } = index;
  const kernels = index.kernels.filter((row) => row.language !== "library");
  const interval = profile?.faster_than_eager_interval;
  const idle = profile && profile.busy_ns !== null && profile.busy_ns !== undefined ? profile.busy_ns / profile.wall_ns : null;
  return (
    <ul class="figures">
      {profile?.faster_than_eager ? (
        <Figure label="Speedup" value={times(profile.faster_than_eager)} to="kernels" tone={!interval ? "" : interval[0] > 1 ? "good" : interval[1] < 1 ? "bad" : ""}
          detail={`${duration(profile.eager_ns)} → ${duration(profile.wall_ns)}${interval ? ` (${interval[0].toFixed(2)}–${interval[1].toFixed(2)}×)` : ""}`} />
      ) : null}
      {idle !== null && profile?.device.kind !== "cpu" ? (
        <Figure label="GPU busy" value={percent(idle)} detail={`${duration(profile!.busy_ns)} of ${duration(profile!.wall_ns)}`} to="kernels" tone={idle < 0.5 ? "bad" : ""} />
      ) : null}
      {summary ? <Figure label="Graphs" value={number(summary.graphs)} detail={count(summary.operators, "operator")} to="graphs" /> : null}
      {summary ? <Figure label="Graph breaks" value={number(summary.graph_breaks)} tone={summary.graph_breaks ? "bad" : ""} to={summary.graph_breaks ? "break-1" : undefined}
        detail={summary.graph_breaks ? `at ${count(summary.distinct_graph_breaks, "site")}` : ""} /> : null}
      {summary ? <Figure label="Recompilations" value={number(summary.recompiles)} to="guards" tone={summary.recompiles ? "bad" : ""} detail={summary.recompile_limit_hits ? `limit reached ${count(summary.recompile_limit_hits, "time")}` : ""} /> : null}
      {index.kernels.length ? <Figure label="Kernels" value={number(kernels.length)} detail={[index.kernels.length > kernels.length && `+ ${number(index.kernels.length - kernels.length)} library`, ofPeakOnAverage()].filter(Boolean).join(" · ")} to="kernels" /> : null}
      {summary ? <Figure label="Compile time" value={duration(summary.compile_time_ns)} to="compile" /> : null}
    </ul>
  );
}

/** The largest thing to win, in one line: what to do first. */
function Lead(): JSX.Element | null {
  const profile = index.profile, gain = profile?.gains[0];
  if (!profile || !gain) return null;
  return <p class="lead"><b>Largest opportunity: up to {duration(gain.at_most_ns)} of {duration(profile.wall_ns)}.</b> <Prose text={`${sentence(gain.because)}. ${sentence(gain.change)}.`} /></p>;
}

function Gains(): JSX.Element | null {
  const profile = index.profile;
  if (!profile?.gains.length) return null;
  return (
    <section aria-labelledby="opportunities">
      <h2 id="opportunities">Opportunities <span class="quiet">upper bounds, of {duration(profile.wall_ns)} per call</span></h2>
      <ol class="gains">
        {profile.gains.map((gain) => (
          <li>
            <span class="gain-ns">{duration(gain.at_most_ns)}</span>
            <Bar share={gain.at_most_ns / profile.wall_ns} />
            <div><p><Prose text={`${sentence(gain.because)}.`} />{gain.hidden_by_host ? <span class="quiet"> Hidden while the GPU waits for the host.</span> : null}</p><p class="good"><Prose text={`${sentence(gain.change)}.`} /></p></div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The lines around a finding, with a mark under what it is about. */
function Excerpt({ finding }: { finding: Finding }): JSX.Element | null {
  if (!finding.excerpt.length) return null;
  const file = index.files.indexOf(finding.file ?? "");
  return (
    <pre class="excerpt" tabIndex={0} aria-label={`Source of ${finding.file}`}>
      {finding.excerpt.map(({ line, text }) => {
        const isOwn = line === finding.line;
        const from = finding.column ?? text.search(/\S/);
        const to = finding.end_line === line && finding.end_column ? finding.end_column : text.length;
        return (
          <div class={isOwn ? "own" : ""}>
            {file >= 0 ? <a class="no" href={`#line-${file}-${line}`} aria-label={`Line ${line}`}>{line}</a> : <span class="no">{line}</span>}
            {isOwn ? <>{text.slice(0, from)}<mark>{text.slice(from, to)}</mark>{text.slice(to)}</> : text}{"\n"}
          </div>
        );
      })}
    </pre>
  );
}

function cost(finding: Finding): string | null {
  if (finding.cost_ns) return `${duration(finding.cost_ns)} per call`;
  if (finding.crossing_bytes) return `${bytes(finding.crossing_bytes)} passed between graphs`;
  return null;
}

export function FindingCard({ finding, id }: { finding: Finding; id: string }): JSX.Element {
  const file = index.files.indexOf(finding.file ?? "");
  const place = finding.file && finding.line ? `${finding.file}:${finding.line}` : finding.file;
  const own = finding.stack.filter((frame) => frame.owner === "project" || frame.owner === "library");
  return (
    <article class={`finding ${finding.severity}`} id={id} tabIndex={-1} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`}><a class="anchor" href={`#${id}`} aria-hidden="true" tabIndex={-1}>#</a><Prose text={finding.message} /></h3>
        <p class="meta">
          <span class="severity">{finding.severity}</span>
          {place && (file >= 0 && finding.line ? <a href={`#line-${file}-${finding.line}`}>{place}</a> : <span>{place}</span>)}
          {finding.function && <span>{finding.function}</span>}
          {finding.gb_id ? <span>{finding.gb_id}</span> : <span>{finding.rule}</span>}
          {cost(finding) && <strong>{cost(finding)}</strong>}
        </p>
      </header>
      <Excerpt finding={finding} />
      {finding.why && <p class="why"><Prose text={sentence(finding.why)} /></p>}
      {finding.output && <pre class="output" tabIndex={0}>{finding.output}</pre>}
      {finding.fix && <p class="fix"><b>Fix</b> <Prose text={finding.fix} /></p>}
      {finding.alternatives.length ? (
        <ul class="alternatives">{finding.alternatives.map((item) => <li><Prose text={typeof item === "string" ? item : item.text} /></li>)}</ul>
      ) : null}
      {finding.notes.map((note) => <p class="note"><Prose text={sentence(note)} /></p>)}
      {finding.example && (
        <details><summary>Example: before and after</summary>
          <div class="beside">
            <figure><figcaption>Before</figcaption><pre tabIndex={0}>{finding.example.before}</pre></figure>
            <figure><figcaption>After</figcaption><pre tabIndex={0}>{finding.example.after}</pre></figure>
          </div>
          <p class="quiet">Run on torch {finding.example.tested_on.join(", ")}. {finding.example.keeps}</p>
        </details>
      )}
      {own.length > 1 && (
        <details><summary>Stack</summary>
          <ol class="stack">{own.map((frame) => {
            const at = index.files.indexOf(frame.file);
            return <li>{at >= 0 ? <a href={`#line-${at}-${frame.line}`}>{frame.file}:{frame.line}</a> : `${frame.file}:${frame.line}`} <span class="quiet">{frame.name}</span> <code>{frame.code}</code></li>;
          })}</ol>
        </details>
      )}
    </article>
  );
}

/** The lines on which a call spends its time. */
function HotLines(): JSX.Element | null {
  const rows = [...index.lines].sort((a, b) => b[2] - a[2]).slice(0, 10);
  const most = rows[0]?.[2];
  if (!most || !index.profile) return null;
  const busy = index.profile.busy_ns || index.profile.wall_ns;
  return (
    <section aria-labelledby="lines">
      <h2 id="lines">Time by line</h2>
      <ul class="bars">{rows.map(([file, line, ns]) => (
        <li><a class="bars-name" href={`#line-${file}-${line}`}>{index.files[file]}:{line}</a><Bar share={ns / most} /><span class="num">{duration(ns)} {percent(ns / busy)}</span></li>))}</ul>
    </section>
  );
}

export const anchor = (finding: Finding, n: number) =>
  finding.rule === "graph-break" ? `break-${n + 1}` : `${finding.rule}-${n + 1}`;

export function Overview(): JSX.Element {
  const explain = report<Explain>("explain").value;
  const findings = explain?.findings ?? [];
  const env = index.environment[0];
  const gpu = env?.hardware.gpus?.[0]?.name;
  const counts = new Map<string, number>();
  return (
    <div class="overview">
      <section class="verdict">
        <h1>{sentence(headline())}</h1>
        <p class="meta">
          <span>{index.title}</span>
          {env && <span>torch {env.versions.torch}</span>}
          {gpu ? <span>{gpu}</span> : env?.hardware.machine && <span>{env.hardware.machine} CPU</span>}
          {index.recording.started && <span>{index.recording.started.slice(0, 10)}</span>}
        </p>
        {index.recording.partial && <p class="alert">Partial recording: {index.recording.partial}</p>}
        {explain?.warnings.map((item) => <p class="alert">{sentence(item.message)}</p>)}
        <Lead />
        <Figures />
      </section>
      {findings.length ? (
        <section aria-labelledby="findings">
          <h2 id="findings">Findings <span class="quiet">{number(findings.length)}</span></h2>
          {findings.map((finding) => {
            const kind = finding.rule;
            const n = counts.get(kind) ?? 0;
            counts.set(kind, n + 1);
            return <FindingCard finding={finding} id={anchor(finding, n)} />;
          })}
        </section>
      ) : null}
      <Gains />
      <HotLines />
      {explain?.next_steps.length ? (
        <section aria-labelledby="next"><h2 id="next">Next steps</h2>
          {explain.next_steps.map((step) => <pre class="command" tabIndex={0}>{step}</pre>)}
        </section>
      ) : null}
      <p class="quiet"><button type="button" class="link" onClick={() => go("code")}>Open the source, graphs and kernels side by side</button></p>
    </div>
  );
}
