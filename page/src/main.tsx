import { effect, signal } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Report } from "./blocks";
import { Code } from "./code";
import { Compare } from "./compare";
import { Compile } from "./compile";
import { index, start } from "./data";
import { Graphs } from "./graphs";
import { Guards } from "./guards";
import { Kernels } from "./kernels";
import { Memory } from "./memory";
import { Overview } from "./overview";
import { read, view, views } from "./route";
import { isOpen, Search } from "./search";
import { firstGraph, follow, hovered, pin, shownGraph } from "./select";
import "./style.css";

const TITLES: Record<string, string> = { overview: "Overview", code: "Code", graphs: "Graphs", kernels: "Kernels", guards: "Guards", compile: "Compile time", memory: "Memory", compare: "Compare" };
const BODIES: Record<string, () => JSX.Element> = { overview: Overview, code: Code, graphs: Graphs, kernels: Kernels, guards: Guards, compile: Compile, memory: Memory, compare: Compare };
const theme = signal<"auto" | "light" | "dark">("auto");

function App(): JSX.Element {
  const Body = BODIES[view.value];
  useEffect(() => document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [view.value]);
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <header class="top">
        <a class="brand" href="#overview">torch-inspector</a>
        <nav aria-label="Views">{views().map((name) => <a href={`#${name}`} aria-current={name === view.value ? "page" : undefined}>{TITLES[name] ?? index.pages.find(([kind]) => name === `report-${kind}`)?.[1]}</a>)}</nav>
        <button type="button" class="find" onClick={() => (isOpen.value = true)}>Search <kbd>Ctrl K</kbd></button>
        <button type="button" aria-label={`Theme: ${theme.value}`} onClick={() => (theme.value = next[theme.value])}>{{ auto: "◐", light: "☀", dark: "☾" }[theme.value]}</button>
      </header>
      <main id="main" tabIndex={-1} class={`view-${view.value}`}>{Body ? <Body /> : <Report kind={view.value.replace("report-", "")} />}</main>
      <Search />
    </>
  );
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) event.preventDefault(), (isOpen.value = true);
  else if (event.key === "Escape" && !isOpen.value) (hovered.value = null), pin(null);
});

void start().then(() => {
  document.title = `${index.title} · torch-inspector`;
  effect(() => void (document.documentElement.dataset.theme = theme.value));
  shownGraph.value = firstGraph();
  follow();
  read();
  addEventListener("hashchange", read);
  const app = document.getElementById("app")!;
  app.replaceChildren();
  render(<App />, app);
});
