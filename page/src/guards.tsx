// Guards, what recompiled and why, and what recompiles next.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { index, report } from "./data";
import { count, duration, functionName, number } from "./format";
import { Bar, Loading, Prose } from "./parts";

interface Change { kind: string; name: string; text: string; changed_before: boolean; more: number; file: string | null; line: number | null }
interface Frame { name: string; file: string | null; line: number | null; entries: number; recompile_limit: number | null; hit_limit: boolean; guards: number; per_call_ns: number | null; torch_latency_ns: number | null; next_changes: Change[] }
interface Guards {
  guards: number; kinds: Record<string, number>;
  causes: { file: string; line: number; function: string; code: string | null; is_user: boolean; guards: number }[];
  modules: { name: string; guards: number; modules: number }[];
  frames: Frame[];
}
interface Recompile {
  compile_id: string; entry: string | null; guard: string | null; duration_ns: number | null; hit_limit: boolean;
  changes: { name: string; before: string | null; now: string | null; index: number | null; is_dynamic: boolean }[];
}
interface Explain { recompiles: Recompile[]; frames: { name: string; file: string; first_line: number; compilations: { compile_id: string }[] }[] }

function place(file: string | null, line: number | null): JSX.Element | string {
  if (!file || !line) return "";
  const at = index.files.findIndex((name) => file === name || file.endsWith(`/${name}`)); // torch's own are whole
  return at < 0 ? `${file}:${line}` : <a href={`#line-${at}-${line}`}>{index.files[at]}:{line}</a>;
}

export function Guards(): JSX.Element {
  const held = report<Guards>("guards").value, explain = report<Explain>("explain").value;
  const all = useSignal(false);
  if (!held) return <Loading />;
  const most = Math.max(1, ...held.modules.map((row) => row.guards));
  return (
    <div class="page">
      <h1>Guards and recompilations</h1>
      <p>{count(held.guards, "guard")} in {count(held.frames.length, "function")}.</p>
      {explain?.recompiles.length ? (
        <section><h2>What recompiled</h2>
          <div class="scroll" tabIndex={0}><table>
            <thead><tr><th scope="col">Compilation</th><th scope="col">Changed</th><th scope="col">Failed guard</th><th scope="col" class="num">Compile time</th></tr></thead>
            <tbody>{explain.recompiles.map((row) => (
              <tr><th scope="row">{row.entry} → {row.compile_id}{row.hit_limit && <b> limit reached</b>}</th>
                <td>{row.changes.map((item) => <div>{item.name}{item.index !== null ? `.size(${item.index})` : ""}: {item.before} → {item.now}{item.is_dynamic && <span class="quiet"> (dynamic from then on)</span>}</div>)}</td>
                <td><code>{row.guard}</code></td><td class="num">{duration(row.duration_ns)}</td></tr>))}</tbody>
          </table></div>
        </section>
      ) : null}
      <section><h2>What recompiles next</h2>
        {held.frames.filter((frame) => frame.next_changes.length).map((frame) => (
          <details open={held.frames.length < 4}>
            <summary>{functionName(frame.name)} <span class="quiet">{frame.entries} of {frame.recompile_limit ?? "–"} cache entries · {count(frame.guards, "guard")}</span></summary>
            <p>{place(frame.file, frame.line)}</p>
            <ul class="changes">{(all.value ? frame.next_changes : frame.next_changes.slice(0, 8)).map((item) => (
              <li>{item.changed_before && <b class="before">changed before </b>}<Prose text={item.text} /> <span class="quiet">{place(item.file, item.line)}</span></li>))}</ul>
            {frame.next_changes.length > 8 && !all.value && <button type="button" class="link" onClick={() => (all.value = true)}>Show {number(frame.next_changes.length - 8)} more</button>}
          </details>))}
      </section>
      <section><h2>Guards by line</h2>
        <div class="scroll" tabIndex={0}><table>
          <thead><tr><th scope="col">Line</th><th scope="col" class="num">Guards</th><th scope="col">Source</th></tr></thead>
          <tbody>{held.causes.filter((row) => row.is_user).slice(0, 100).map((row) => <tr><th scope="row">{place(row.file, row.line)}</th><td class="num">{number(row.guards)}</td><td><code>{row.code}</code></td></tr>)}</tbody>
        </table></div>
      </section>
      <section><h2>Guards by module</h2>
        <ul class="bars">{held.modules.slice(0, 40).map((row) => <li><span class="bars-name">{row.name}</span><Bar share={row.guards / most} /><span class="num">{count(row.guards, "guard")}</span></li>)}</ul>
      </section>
    </div>
  );
}
