// Steps over a call: one line per series, with the values under the pointer.
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";

export interface Series { name: string; points: number[] }

export function Chart({ series, show, label, below }: { series: Series[]; show: (n: number) => string; label: string; below: string }): JSX.Element {
  const at = useSignal<number | null>(null);
  const most = Math.max(1, ...series.flatMap(({ points }) => points));
  const top = most * 1.08;
  const y = (value: number) => 100 - (value / top) * 100;
  const steps = (points: number[]) => points.map((value, n) => `V${y(value)}H${((n + 1) / points.length) * 100}`).join("");
  const valueAt = (points: number[]) => points[Math.min(points.length - 1, Math.floor((at.value ?? 0) * points.length))]!;
  const shown = series.map((item, n) => ({ ...item, color: `c${n}` })).filter(({ points }) => points.length);
  return (
    <figure class="chart">
      <figcaption>{shown.map(({ name, points, color }) => <span><span class={`key ${color}`} />{name} <b>{show(at.value === null ? Math.max(...points) : valueAt(points))}</b>{at.value === null && <span class="quiet"> at the peak</span>}</span>)}</figcaption>
      <div class="plot" role="img" aria-label={`${label}: ${shown.map(({ name, points }) => `${name} ${show(Math.max(...points))} at the peak`).join(", ")}`}
        onPointerMove={(event) => { const box = event.currentTarget.getBoundingClientRect(); at.value = Math.max(0, Math.min(0.9999, (event.clientX - box.left) / box.width)); }} onPointerLeave={() => (at.value = null)}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {[0.25, 0.5, 0.75, 1].map((share) => <path class="grid" d={`M0 ${y(share * most)}H100`} />)}
          {[...shown].reverse().map(({ points, color }) => <>
            {color === "c0" && <path class="area" d={`M0 100${steps(points)}V100Z`} />}
            <path class={`curve ${color}`} d={`M0 ${y(points[0]!)}${steps(points)}`} /></>)}
          {at.value !== null && <path class="cursor" d={`M${at.value * 100} 0V100`} />}
        </svg>
        {[0.5, 1].map((share) => <span class="tick" style={{ top: `${y(share * most)}%` }}>{show(share * most)}</span>)}
      </div>
      <p class="quiet">{below}</p>
    </figure>
  );
}
