// The kernels of a graph and the buffers between them, drawn where Python placed them.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { fusion as fusionOf, index } from "./data";
import { bytes, duration, number as number_, sentence, short } from "./format";
import { Loading, Prose, Tabs, useFirst } from "./parts";
import { hovered, lit, pin, stepKey } from "./select";
import type { Fusion, Step } from "./types";

export interface Placed { x: number[]; y: number[]; edges: [from: number, to: number, buffer: string][]; width: number; height: number }
const KINDS = [["pointwise", "pointwise"], ["reduction", "reduction"], ["extern", "library"]] as const;
const kindOf = (kind: string) => (kind.includes("reduction") ? "reduction" : ["extern", "fallback"].includes(kind) ? "extern" : "pointwise");
/** What tells kernels apart; the kind is in the color. */
const stepName = (name: string) => name.replace(/^(?:triton_[a-z]+_fused_|cpp_fused_|triton_|aten\.|extern_kernels\.)/, "").replace(/\.(?:out|default)$/, "");
const W_STEP = 190; // as in inspector/render/html/layout.py
const W = 168, H = 40;
type By = "kind" | "time" | "bytes" | "dtype";

export function Diagram({ number }: { number: number }): JSX.Element {
  const held = fusionOf(number).value as (Fusion & { layout: Placed }) | undefined | null;
  return held ? <Drawing held={held} number={number} /> : <Loading />;
}

function Drawing({ held, number }: { held: Fusion & { layout: Placed }; number: number }): JSX.Element {
  const { layout, steps } = held;
  const box = useSignal({ x: -20, y: -20, w: 700, h: 560 });
  const by = useSignal<By>("kind"), reasons = useSignal(false), chosen = useSignal<number | null>(null);
  const from = useRef<{ x: number; y: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => {
    // As large as the text is meant to be, or a little smaller where all of it fits then.
    const { clientWidth, clientHeight } = svg.current!, all = layout.width + 24;
    const w = all < clientWidth * 1.4 ? Math.max(clientWidth, all) : clientWidth;
    box.value = { x: w >= all ? (layout.width - (W_STEP - W) - w) / 2 : layout.x[0]! + W / 2 - w / 2, y: -16, w, h: clientHeight * (w / clientWidth) };
    // A pane that becomes narrower shows less, at the same size.
    let last = clientWidth;
    const observer = new ResizeObserver(() => {
      const now = svg.current?.clientWidth ?? last, b = box.peek();
      if (now) box.value = { ...b, x: b.x + (b.w * (1 - now / last)) / 2, w: (b.w * now) / last, h: (b.w / last) * svg.current!.clientHeight };
      last = now || last;
    });
    observer.observe(svg.current!);
    return () => observer.disconnect();
  }, [held]);
  const most = useMemo(() => Math.max(1, ...steps.map((s) => value(s, by.value) ?? 0)), [steps, by.value]);
  const dtypeOf = (step: Step) => /^\w+/.exec(held.buffers[Object.keys(step.writes)[0] ?? ""] ?? "")?.[0] ?? "none";
  const dtypes = useMemo(() => [...new Set(steps.map(dtypeOf))], [steps]);
  const scale = () => box.value.w / (svg.current?.clientWidth || 1);
  const zoom = (factor: number, cx = 0.5, cy = 0.5) => {
    const b = box.value, w = Math.max(200, Math.min(layout.width * 3 + 400, b.w * factor)), f = w / b.w;
    box.value = { x: b.x + b.w * cx * (1 - f), y: b.y + b.h * cy * (1 - f), w, h: b.h * f };
  };
  const pan = (dx: number, dy: number) => (box.value = { ...box.value, x: box.value.x + dx, y: box.value.y + dy });
  const key = (event: KeyboardEvent) => {
    const step = box.value.w / 10;
    const moves: Record<string, () => void> = { ArrowLeft: () => pan(-step, 0), ArrowRight: () => pan(step, 0), ArrowUp: () => pan(0, -step), ArrowDown: () => pan(0, step), "+": () => zoom(0.8), "-": () => zoom(1.25) };
    if (moves[event.key]) event.preventDefault(), moves[event.key]!();
  };
  const seen = (n: number) => layout.x[n]! + W > box.value.x && layout.x[n]! < box.value.x + box.value.w && layout.y[n]! + H > box.value.y && layout.y[n]! < box.value.y + box.value.h * 1.5;
  const bendy = (a: number, b: number) => {
    const x1 = layout.x[a]! + W / 2, y1 = layout.y[a]! + H, x2 = layout.x[b]! + W / 2, y2 = layout.y[b]!;
    return `M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
  };
  const choose = (n: number) => {
    const { first, second } = held.not_fused[n]!, b = box.value;
    chosen.value = n;
    const x = (layout.x[first]! + layout.x[second]! + W) / 2, y = (layout.y[first]! + layout.y[second]! + H) / 2;
    box.value = { ...b, x: x - b.w / 2, y: y - b.h / 2 };
  };
  const apart = useMemo(() => held.not_fused.map((pair, n) => ({ pair, n })).sort((a, b) => (b.pair.saved_bytes_at_most ?? 0) - (a.pair.saved_bytes_at_most ?? 0)), [held]);
  const [firstApart, more] = useFirst(apart, 30);
  const on = (n: number) => lit("steps", stepKey(number, n));
  return (
    <>
      <div class="tools">
        <Tabs label="Color by" names={steps.some((s) => s.work) ? ["kind", "time", "bytes", "dtype"] : ["kind", "bytes", "dtype"]} current={by.value} onPick={(name) => (by.value = name as By)} />
        {apart.length > 0 && <button type="button" aria-pressed={reasons.value} onClick={() => (reasons.value = !reasons.value)}>Why not fused ({number_(apart.length)})</button>}
        <span class="gap" />
        <span class="zoom"><button type="button" aria-label="Zoom in" onClick={() => zoom(0.75)}>+</button> <button type="button" aria-label="Zoom out" onClick={() => zoom(1.33)}>−</button>
          {" "}<button type="button" onClick={() => (box.value = { x: -20, y: -20, w: layout.width + 40, h: layout.height + 40 })}>Fit</button></span>
      </div>
      <svg ref={svg} class="diagram" viewBox={`${box.value.x} ${box.value.y} ${box.value.w} ${box.value.h}`} preserveAspectRatio="xMidYMin meet" tabIndex={0} role="group"
        aria-label={`${steps.length} kernels of ${index.fusions[number]!.name}; arrow keys move, plus and minus zoom`} onKeyDown={key}
        onWheel={(event) => { event.preventDefault(); const r = svg.current!.getBoundingClientRect(); zoom(event.deltaY > 0 ? 1.15 : 0.87, (event.clientX - r.left) / r.width, (event.clientY - r.top) / r.height); }}
        onPointerDown={(event) => (from.current = { x: event.clientX, y: event.clientY })}
        onPointerMove={(event) => { if (!from.current || !event.buttons) return; pan((from.current.x - event.clientX) * scale(), (from.current.y - event.clientY) * scale()); from.current = { x: event.clientX, y: event.clientY }; }}
        onPointerUp={() => (from.current = null)}>
        {layout.edges.filter(([a, b]) => seen(a) || seen(b)).map(([a, b, name]) => <path class={`edge ${on(a) && on(b) ? "on" : ""}`} d={bendy(a, b)}><title>{`${name} ${held.buffers[name] ?? ""}`}</title></path>)}
        {reasons.value && apart.filter(({ pair, n }) => n === chosen.value || seen(pair.first) || seen(pair.second)).map(({ pair, n }) => (
          <path class={`edge apart ${n === chosen.value ? "on" : ""}`} d={bendy(pair.first, pair.second)} onClick={() => choose(n)}><title>{`Not fused: ${pair.reason ?? ""}`}</title></path>))}
        {steps.map((step, n) => seen(n) && (
          <g class={`step ${kindOf(step.kind)} ${on(n)}`} transform={`translate(${layout.x[n]} ${layout.y[n]})`}
            onMouseEnter={() => (hovered.value = { kind: "step", fusion: number, step: n })} onMouseLeave={() => (hovered.value = null)} onClick={() => pin({ kind: "step", fusion: number, step: n })}>
            <rect width={W} height={H} rx="6" class={by.value === "kind" ? "" : by.value === "dtype" ? `d${dtypes.indexOf(dtypeOf(step)) % 6}` : `h${Math.ceil(8 * Math.sqrt((value(step, by.value) ?? 0) / most))}`} />
            <text x="8" y="16">{short(stepName(step.name), 23)}</text>
            <text x="8" y="32" class="small">{[`#${n + 1}`, step.work ? duration(step.work.time_ns) : null, bytes(step.bytes_moved)].filter(Boolean).join(" · ")}</text>
            <title>{`${step.name}\n${step.nodes.length} operators`}</title>
          </g>))}
      </svg>
      {by.value === "kind" && <p class="kinds">{KINDS.filter(([kind]) => steps.some((step) => kindOf(step.kind) === kind)).map(([kind, title]) => <span><span class={`swatch ${kind}`} />{title}</span>)}</p>}
      {by.value === "dtype" && <p class="kinds">{dtypes.map((name, n) => <span><span class={`swatch d${n % 6}`} />{name}</span>)}</p>}
      {reasons.value && (
        <ul class="apart-list" aria-label="Kernels that were not fused">{firstApart.map(({ pair, n }) => (
          <li class={n === chosen.value ? "on" : ""}>
            <button type="button" class="link" onClick={() => choose(n)}>#{pair.first + 1} and #{pair.second + 1}</button>
            {pair.saved_bytes_at_most ? <span class="quiet"> would save up to {bytes(pair.saved_bytes_at_most)}</span> : null}
            <div><Prose text={sentence(pair.reason ?? "Inductor gives no reason")} /></div>
            {pair.change && <div class="good"><Prose text={sentence(pair.change)} /></div>}
          </li>))}{more && <li>{more}</li>}</ul>)}
    </>
  );
}

function value(step: Step, by: By): number | null {
  return by === "time" ? step.work?.time_ns ?? null : step.bytes_moved;
}
