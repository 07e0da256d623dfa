// What is in memory at the peak of a call, compiled and eager.
import type { JSX } from "preact";
import { index, report } from "./data";
import { bytes, count, times } from "./format";
import { Bar, Loading } from "./parts";

interface Held { what: string; name: string | null; count: number; bytes: number; shape: number[] | null; dtype: string | null; lines: { file: string; line: number }[] }
interface Peak { peak_bytes: number | null; before_bytes: number | null; added_bytes: number | null; at_peak: Held[]; error: string | null }
interface Profile { profiles: { memory: { ratio: number | null; compiled: Peak | null; eager: Peak | null } | null }[] }

export function Memory(): JSX.Element {
  const held = report<Profile>("profile").value;
  if (!held) return <Loading />;
  const memory = held.profiles[0]?.memory;
  if (!memory?.compiled) return <div class="page"><h1>Memory</h1><p class="quiet">The recording has no memory profile.</p></div>;
  const most = Math.max(memory.compiled.peak_bytes ?? 1, memory.eager?.peak_bytes ?? 1);
  return (
    <div class="page">
      <h1>Memory {bytes(memory.compiled.peak_bytes)} at the peak{memory.ratio ? `, ${times(memory.ratio)} of eager` : ""}</h1>
      <div class="beside"><At name="Compiled" peak={memory.compiled} most={most} />{memory.eager && <At name="Eager" peak={memory.eager} most={most} />}</div>
    </div>
  );
}

function At({ name, peak, most }: { name: string; peak: Peak; most: number }): JSX.Element {
  return (
    <section><h2>{name}: {bytes(peak.peak_bytes)}</h2>
      <p class="quiet">{bytes(peak.before_bytes)} before the call, {bytes(peak.added_bytes)} added by it.</p>
      <ul class="bars">{peak.at_peak.slice(0, 40).map((item) => (
        <li><span class="bars-name">{item.name ?? count(item.count, item.what)} <span class="quiet">{item.name ? item.what : ""} {item.shape ? `${item.dtype}[${item.shape.join(", ")}]` : ""} {item.lines[0] ? <Where {...item.lines.at(-1)!} /> : ""}</span></span>
          <Bar share={item.bytes / most} /><span class="num">{bytes(item.bytes)}</span></li>))}</ul>
    </section>
  );
}

function Where({ file, line }: { file: string; line: number }): JSX.Element | null {
  const at = index.files.findIndex((name) => file === name || file.endsWith(`/${name}`));
  return at < 0 ? null : <a href={`#line-${at}-${line}`}>{index.files[at]!.split("/").at(-1)}:{line}</a>;
}
