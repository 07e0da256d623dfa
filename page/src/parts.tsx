// Pieces that several views use.
import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Tokens } from "./types";

/** A line of code; recorded text becomes text nodes and nothing else. */
export function Line({ text, tokens }: { text: string; tokens: Tokens | undefined }): JSX.Element {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (let n = 0; n + 1 < (tokens?.length ?? 0); n += 2) {
    const length = tokens![n] as number, name = tokens![n + 1] as string;
    const part = text.slice(at, at + length);
    parts.push(name ? <span class={`t-${name}`}>{part}</span> : part);
    at += length;
  }
  parts.push(text.slice(at));
  return <code>{parts}</code>;
}

/** A list of rows of one height, of which only what is seen is drawn. */
export function Rows({ count, height, row, label, current, start = 0, onMove, role = "listbox", class: name }: {
  count: number; height: number; row: (n: number) => JSX.Element; label: string;
  current?: number | null;
  /** The row at the top at first. */
  start?: number;
  onMove?: (n: number) => void; role?: "listbox" | "group"; class?: string;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0), size = useSignal(600);
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => (size.value = element.clientHeight);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    if (start > 0) element.scrollTop = start * height;
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (!element || current === null || current === undefined || current < 0) return;
    const y = current * height;
    if (y < element.scrollTop || y + height > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(0, y - element.clientHeight / 3);
  }, [current, count]);
  const range = useComputed(() => [Math.max(0, Math.floor(top.value / height) - 8), Math.ceil((top.value + size.value) / height) + 8] as const);
  const [first, last] = range.value;
  const rows: JSX.Element[] = [];
  for (let n = first; n < Math.min(last, count); n++) rows.push(row(n));
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -count, End: count }[event.key];
    if (!step || !onMove) return;
    event.preventDefault();
    const from = current ?? (step > 0 ? -1 : count);
    onMove(Math.max(0, Math.min(count - 1, from + step)));
  };
  return (
    <div ref={box} class={`rows ${name ?? ""}`} role={role} aria-label={label} tabIndex={0} onKeyDown={move}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}>
      <div class="rows-all" style={{ height: `${count * height}px` }}>
        <div class="rows-seen" style={{ transform: `translateY(${first * height}px)` }}>{rows}</div>
      </div>
    </div>
  );
}

/** The width of an element, as it changes; what is drawn at that width has text of its own size. */
export function useWidth(element: { current: Element | null }, first: number): Signal<number> {
  const width = useSignal(first);
  useLayoutEffect(() => {
    const measure = () => (width.value = element.current?.clientWidth || first);
    const observer = new ResizeObserver(measure);
    if (element.current) observer.observe(element.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The first of many, and a button that shows all; drawing hundreds takes longer than a click may. */
export function useFirst<T>(items: T[], most: number): [shown: T[], button: JSX.Element | null] {
  const all = useSignal(false);
  if (all.value || items.length <= most) return [items, null];
  return [items.slice(0, most), <p><button type="button" class="link" onClick={() => (all.value = true)}>Show all {items.length.toLocaleString("en-US")}</button></p>];
}

export function Tabs({ names, current, onPick, label }: {
  names: string[]; current: string; onPick: (name: string) => void; label: string;
}): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label={label}>
      {names.map((name) => (
        <button type="button" aria-pressed={name === current} onClick={() => onPick(name)}>{name}</button>
      ))}
    </div>
  );
}

export function Bar({ share, kind }: { share: number; kind?: string }): JSX.Element {
  return <span class={`bar ${kind ?? ""}`} aria-hidden="true"><span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} /></span>;
}

/** Sentences with `code` in them. */
export function Prose({ text }: { text: string }): JSX.Element {
  return <>{text.split("`").map((part, n) => (n % 2 ? <code>{part}</code> : part))}</>;
}

export function Loading(): JSX.Element {
  return <p class="quiet" aria-live="polite">Loading…</p>;
}
