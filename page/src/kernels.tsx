// All kernels: a table to sort and filter, the roofline, and one kernel as a whole.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { index, report } from "./data";
import { bytes, duration, flopRate, number, ofPeak, percent, rate, short } from "./format";
import { KernelCode } from "./code";
import { Bar } from "./parts";
import { hovered, lit, pin, shownKernel } from "./select";
import { go } from "./route";
import type { KernelRow } from "./types";

type Column = [title: string, value: (row: KernelRow) => number | string | null, show: (row: KernelRow) => JSX.Element | string];
const busy = () => index.profile?.busy_ns || index.profile?.wall_ns || 1;

function columns(): Column[] {
  const all: Column[] = [["Kernel", (row) => row.name, (row) => short(row.name, 60)], ["Kind", (row) => row.kind, (row) => row.kind.replaceAll("_", " ")]];
  if (index.kernels.some((row) => row.time)) all.push(
    ["Time", (row) => row.time?.time_ns ?? 0, (row) => duration(row.time?.time_ns)],
    ["Share", (row) => row.time?.time_ns ?? 0, (row) => row.time ? <><Bar share={row.time.time_ns / busy()} /> {percent(row.time.time_ns / busy())}</> : "–"],
    ["Of peak", (row) => row.time?.share_of_ceiling ?? 0, (row) => row.time?.bound ? ofPeak(row.time.bound, row.time.share_of_ceiling) : "–"],
    ["Throughput", (row) => (row.time?.bytes ? row.time.bytes / row.time.time_ns : 0), (row) => (row.time?.bytes ? rate((row.time.bytes / row.time.time_ns) * 1e9) : "–")],
  );
  all.push(["Launches", (row) => row.time?.calls ?? row.launches, (row) => number(row.time?.calls ?? row.launches)], ["Traffic", (row) => row.bytes ?? 0, (row) => bytes(row.bytes)]);
  if (index.kernels.some((row) => row.registers)) all.push(["Registers", (row) => row.registers ?? 0, (row) => number(row.registers)]);
  return all;
}

export function Kernels(): JSX.Element {
  const all = columns();
  const sort = useSignal(all.findIndex(([title]) => title === "Time")), ascending = useSignal(false), filter = useSignal("");
  const at = sort.value < 0 ? 0 : sort.value;
  const value = all[at]![1];
  const text = filter.value.toLowerCase();
  const rows = index.kernels.map((row, n) => ({ row, n }))
    .filter(({ row }) => `${row.name} ${row.kind} ${row.lines.map(([f, l]) => `${index.files[f]}:${l}`).join(" ")}`.toLowerCase().includes(text))
    .sort((a, b) => {
      const x = value(a.row) ?? 0, y = value(b.row) ?? 0;
      const order = typeof x === "string" ? x.localeCompare(String(y)) : Number(x) - Number(y);
      return ascending.value ? order : -order;
    });
  const chosen = shownKernel.value;
  return (
    <div class="kernels-view">
      <section class="table-side">
        <div class="tools"><h1>Kernels</h1><input type="search" aria-label="Filter kernels" placeholder="Filter by name, kind or line" onInput={(event) => (filter.value = event.currentTarget.value)} /></div>
        <Roofline />
        <div class="scroll" tabIndex={0}><table>
          <thead><tr>{all.map(([title], n) => (
            <th scope="col" aria-sort={n === at ? (ascending.value ? "ascending" : "descending") : undefined} class={n > 1 ? "num" : ""}>
              <button type="button" onClick={() => (n === sort.value ? (ascending.value = !ascending.value) : ((sort.value = n), (ascending.value = n < 2)))}>{title}{n === at ? (ascending.value ? " ↑" : " ↓") : ""}</button>
            </th>))}</tr></thead>
          <tbody>{rows.map(({ row, n }) => (
            <tr id={`kernel-${n}`} class={`${n === chosen ? "chosen" : ""} ${lit("kernels", n)}`}
              onMouseEnter={() => (hovered.value = { kind: "kernel", kernel: n })} onMouseLeave={() => (hovered.value = null)}
              onClick={() => go(`kernel-${n}`)}>
              {all.map(([, , show], column) => column === 0
                ? <th scope="row"><a href={`#kernel-${n}`} title={row.name}>{show(row)}</a></th>
                : <td class={column > 1 ? "num" : ""}>{show(row)}</td>)}
            </tr>))}</tbody>
        </table></div>
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
  if (!roof || !points.length) return null;
  const rates = Object.entries(roof.bytes_per_s), peaks = Object.entries(roof.flops_per_s);
  const peak = Math.max(...peaks.map(([, f]) => f)), slow = Math.min(...rates.map(([, b]) => b));
  const x0 = Math.min(0.1, ...points.map((p) => p.flops_per_byte! / 2)), x1 = Math.max(1000, (peak / slow) * 4);
  const y1 = peak * 2, y0 = Math.min(...points.map((p) => p.flops_per_s! / 2));
  const W = 640, H = 220, L = 84, B = 30;
  const x = (v: number) => L + (Math.log(v / x0) / Math.log(x1 / x0)) * (W - L - 8);
  const y = (v: number) => 8 + (1 - Math.log(v / y0) / Math.log(y1 / y0)) * (H - B - 8);
  const ticks = (from: number, to: number) => Array.from({ length: Math.ceil(Math.log10(to / from)) + 1 }, (_, n) => 10 ** (Math.ceil(Math.log10(from)) + n)).filter((v) => v <= to);
  return (
    <figure class="roofline">
      <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`Roofline: ${points.length} kernels against the peaks of the device`}>
        {ticks(x0, x1).map((v) => <g><path class="grid" d={`M${x(v)} 8V${H - B}`} /><text x={x(v)} y={H - B + 14} text-anchor="middle">{v}</text></g>)}
        {ticks(y0, y1).map((v) => <g><path class="grid" d={`M${L} ${y(v)}H${W - 8}`} /><text x={L - 5} y={y(v) + 4} text-anchor="end">{flopRate(v)}</text></g>)}
        {rates.map(([name, b], n) => <g class="roof"><path d={`M${x(Math.max(x0, y0 / b))} ${y(Math.max(b * x0, y0))}L${x(peak / b)} ${y(peak)}`} /><text x={x(Math.max(x0, y0 / b)) + 4} y={y(Math.max(b * x0, y0)) + (n ? 22 : -8)}>{name} {rate(b)}</text></g>)}
        {peaks.map(([name, f]) => <g class="roof"><path d={`M${x(f / Math.max(...rates.map(([, b]) => b)))} ${y(f)}H${W - 8}`} /><text x={W - 10} y={y(f) - 4} text-anchor="end">{name} {flopRate(f)}</text></g>)}
        {points.map((point) => {
          const n = index.kernels.findIndex((row) => row.name === point.name);
          return (
            <circle class={`point ${point.kind} ${n >= 0 ? lit("kernels", n) : ""}`} cx={x(point.flops_per_byte!)} cy={y(point.flops_per_s!)} r={3 + 9 * Math.sqrt(point.time_ns / busy())}
              onMouseEnter={() => n >= 0 && (hovered.value = { kind: "kernel", kernel: n })} onMouseLeave={() => (hovered.value = null)} onClick={() => n >= 0 && go(`kernel-${n}`)}>
              <title>{`${point.name}\n${duration(point.time_ns)} · ${flopRate(point.flops_per_s)} · ${point.flops_per_byte!.toFixed(2)} FLOP/B`}</title>
            </circle>);
        })}
        <text x={(W + L) / 2} y={H - 2} text-anchor="middle">FLOP per byte</text>
      </svg>
    </figure>
  );
}
