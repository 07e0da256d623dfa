// All kernels: a table to sort and filter, the roofline, and one kernel as a whole.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { JSX } from "preact";
import { index, report } from "./data";
import { bytes, duration, flopRate, number, ofPeak, percent, rate } from "./format";
import { KernelCode } from "./code";
import { Bar, useWidth } from "./parts";
import { hovered, lit, pin, shownKernel } from "./select";
import { go } from "./route";
import { Sorted, type Column } from "./table";
import type { KernelRow } from "./types";

type Row = KernelRow & { n: number };
const NARROW = ["Kernel", "Time", "Share", "Of peak", "Launches"];
const busy = () => index.profile?.busy_ns || index.profile?.wall_ns || 1;

/** Next to a kernel there is room for fewer. */
function columns(isNarrow: boolean): Column<Row>[] {
  const all: Column<Row>[] = [
    { title: "Kernel", isText: true, value: (row) => row.name, show: (row) => <a class="name" href={`#kernel-${row.n}`} title={row.name}>{row.name}</a> },
    { title: "Kind", isText: true, value: (row) => row.kind, show: (row) => row.kind.replaceAll("_", " ") },
  ];
  const rateOf = (row: Row) => (row.time?.bytes ? (row.time.bytes / row.time.time_ns) * 1e9 : null);
  if (index.kernels.some((row) => row.time)) all.push(
    { title: "Time", value: (row) => row.time?.time_ns, show: (row) => duration(row.time?.time_ns) },
    { title: "Share", value: (row) => row.time?.time_ns, show: (row) => row.time ? <span class="share"><Bar share={row.time.time_ns / busy()} /><span>{percent(row.time.time_ns / busy())}</span></span> : "–" },
    { title: "Of peak", value: (row) => row.time?.share_of_ceiling, show: (row) => row.time?.bound ? ofPeak(row.time.bound, row.time.share_of_ceiling) : "–" },
    { title: "Throughput", value: rateOf, show: (row) => rate(rateOf(row)) },
  );
  all.push(
    { title: "Launches", value: (row) => row.time?.calls ?? row.launches, show: (row) => number(row.time?.calls ?? row.launches) },
    { title: "Traffic", value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
  );
  if (index.kernels.some((row) => row.registers)) all.push({ title: "Registers", value: (row) => row.registers, show: (row) => number(row.registers) });
  return isNarrow ? all.filter(({ title }) => NARROW.includes(title)) : all;
}

export function Kernels(): JSX.Element {
  const chosen = shownKernel.value, all = columns(chosen !== null || innerWidth < 900), filter = useSignal(""), text = filter.value.toLowerCase();
  const rows = index.kernels.map((row, n) => ({ ...row, n }))
    .filter((row) => `${row.name} ${row.kind} ${row.lines.map(([f, l]) => `${index.files[f]}:${l}`).join(" ")}`.toLowerCase().includes(text));
  return (
    <div class="kernels-view">
      <section class="table-side">
        <div class="tools"><h1>Kernels</h1><input type="search" aria-label="Filter kernels" placeholder="Filter by name, kind or line" onInput={(event) => (filter.value = event.currentTarget.value)} /></div>
        <Roofline />
        <Sorted columns={all} rows={rows} by={all.some(({ title }) => title === "Time") ? "Time" : "Launches"} attributes={({ n }) => ({
          id: `kernel-${n}`, class: `${n === chosen ? "chosen" : ""} ${lit("kernels", n)}`, onClick: () => go(`kernel-${n}`),
          onMouseEnter: () => (hovered.value = { kind: "kernel", kernel: n }), onMouseLeave: () => (hovered.value = null),
        })} />
      </section>
      {chosen !== null && (
        <section class="pane detail" aria-label="Kernel">
          <header><h2 title={index.kernels[chosen]!.name}>{index.kernels[chosen]!.name}</h2></header>
          <ul class="places">{index.kernels[chosen]!.lines.slice(0, 6).map(([file, line]) => <li><a href={`#line-${file}-${line}`}>{index.files[file]}:{line}</a></li>)}
            <li><button type="button" class="link" onClick={() => { pin({ kind: "kernel", kernel: chosen }); go("code"); }}>Show next to source and graph</button></li></ul>
          <Tuned name={index.kernels[chosen]!.name} />
          <KernelCode number={chosen} />
        </section>
      )}
    </div>
  );
}

interface Tuning { name: string; how: string; chosen: number | null; default: number | null; gain_over_default: number | null; spent_ns: number; candidates_total: number }

/** What autotuning tried for a kernel. */
function Tuned({ name }: { name: string }): JSX.Element | null {
  const held = report<{ autotuning: { tuned: Tuning[] } | null }>("profile").value;
  const found = held?.autotuning?.tuned.find((item) => item.name === name);
  if (!found) return null;
  const gain = found.gain_over_default;
  return <p class="quiet">Autotuning: {found.how}, {found.candidates_total} candidates{gain !== null ? `, the chosen one ${gain < 0.01 ? "less than 1% faster than" : `${percent(gain)} faster than`} the default` : ""}{found.spent_ns ? `, ${duration(found.spent_ns)} spent` : ""}.</p>;
}

interface Point { name: string; count: number; kind: string; time_ns: number; flops_per_byte: number | null; flops_per_s: number | null }
interface Roof { bytes_per_s: Record<string, number>; flops_per_s: Record<string, number>; points: Point[] }

/** Kernels against what the device can do, both axes logarithmic. */
function Roofline(): JSX.Element | null {
  const held = report<{ profiles: { roofline: Roof | null }[] }>("profile").value;
  const roof = held?.profiles[0]?.roofline;
  const points = (roof?.points ?? []).filter((point) => point.flops_per_byte && point.flops_per_s);
  return roof && points.length ? <Plot roof={roof} points={points} /> : null;
}

function Plot({ roof, points }: { roof: Roof; points: Point[] }): JSX.Element {
  const box = useRef<HTMLElement>(null), width = useWidth(box, 640);
  const rates = Object.entries(roof.bytes_per_s), peaks = Object.entries(roof.flops_per_s);
  const peak = Math.max(...peaks.map(([, f]) => f)), slow = Math.min(...rates.map(([, b]) => b));
  const x0 = Math.min(0.1, ...points.map((p) => p.flops_per_byte! / 2)), x1 = Math.max(1000, (peak / slow) * 4);
  const y1 = peak * 2, y0 = Math.min(...points.map((p) => p.flops_per_s! / 2));
  const W = width.value, H = 250, L = 78, B = 34, R = 16;
  const x = (v: number) => L + (Math.log(v / x0) / Math.log(x1 / x0)) * (W - L - R);
  const y = (v: number) => 10 + (1 - Math.log(v / y0) / Math.log(y1 / y0)) * (H - B - 10);
  const ticks = (from: number, to: number) => Array.from({ length: Math.ceil(Math.log10(to / from)) + 1 }, (_, n) => 10 ** (Math.ceil(Math.log10(from)) + n)).filter((v) => v >= from && v <= to);
  const slope = (b: number) => (Math.atan2(y(2 * b) - y(b), x(2) - x(1)) * 180) / Math.PI;
  const fastest = Math.max(...rates.map(([, b]) => b));
  return (
    <figure class="roofline" ref={box}>
      <figcaption>{[...new Set(points.map((point) => point.kind))].map((kind) => <span><span class={`swatch ${kind === "library" ? "extern" : "pointwise"}`} />{kind === "library" ? "library" : "generated"}</span>)}<span class="quiet">area: time per call</span></figcaption>
      <svg width={W} height={H} role="img" aria-label={`Roofline: ${points.length} kernels against the peaks of the device`}>
        {ticks(x0, x1).map((v) => <g><path class="grid" d={`M${x(v)} 10V${H - B}`} /><text x={x(v)} y={H - B + 14} text-anchor="middle">{v}</text></g>)}
        {ticks(y0, y1).map((v) => <g><path class="grid" d={`M${L} ${y(v)}H${W - R}`} /><text x={L - 6} y={y(v) + 4} text-anchor="end">{flopRate(v).replace(/\.0+(?=\s)/, "")}</text></g>)}
        {rates.map(([name, b]) => {
          const from = Math.max(x0, y0 / b);
          return <g class="roof"><path d={`M${x(from)} ${y(b * from)}L${x(peak / b)} ${y(peak)}`} />
            <text transform={`translate(${x(from) + 8} ${y(b * from)}) rotate(${slope(b)})`} dy={b === fastest ? -6 : 14}>{name} {rate(b)}</text></g>;
        })}
        {peaks.map(([name, f]) => <g class="roof"><path d={`M${x(f / fastest)} ${y(f)}H${W - R}`} /><text x={W - R} y={y(f) + 14} text-anchor="end">{name} {flopRate(f)}</text></g>)}
        {points.map((point) => {
          const n = index.kernels.findIndex((row) => row.name === point.name);
          return (
            <circle class={`point ${point.kind} ${n >= 0 ? lit("kernels", n) : ""}`} cx={x(point.flops_per_byte!)} cy={y(point.flops_per_s!)} r={3 + 9 * Math.sqrt(point.time_ns / busy())}
              onMouseEnter={() => n >= 0 && (hovered.value = { kind: "kernel", kernel: n })} onMouseLeave={() => (hovered.value = null)} onClick={() => n >= 0 && go(`kernel-${n}`)}>
              <title>{`${point.name}\n${duration(point.time_ns)} · ${flopRate(point.flops_per_s)} · ${point.flops_per_byte!.toFixed(2)} FLOP/B`}</title>
            </circle>);
        })}
        <text x={(W + L) / 2} y={H - 4} text-anchor="middle">FLOP per byte</text>
      </svg>
    </figure>
  );
}
