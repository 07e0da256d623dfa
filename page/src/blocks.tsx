// Any report as a page of blocks, for the reports that have no view of their own.
import type { JSX } from "preact";
import { chunk, index } from "./data";
import { sentence } from "./format";
import { FindingCard } from "./overview";
import { Loading, Prose } from "./parts";
import type { Finding } from "./types";

interface CodeLine { place: string; code: string }
type Cell = string | number | (string | CodeLine)[];
interface Column { title: string; kind: "text" | "number" | "code" | "below" | "detail" | "bar" }
type Block =
  | { type: "Lines"; lines: string[] }
  | { type: "Items"; head: string; items: string[] }
  | { type: "Table"; columns: Column[]; rows: Cell[][]; tone: string }
  | { type: "Code"; text: string }
  | { type: "Fold"; title: string; blocks: Block[] };
export interface SectionData { title: string; blocks: Block[] }
export interface PageData {
  kind: string; headline: string; summary: string[]; findings: Finding[];
  sections: SectionData[]; notes: [label: string, text: string][]; next_steps: string[];
}

export function Report({ kind }: { kind: string }): JSX.Element {
  const page = chunk<PageData>(`page-${kind}`).value;
  if (!page) return <Loading />;
  return (
    <div class="page">
      <h1><Prose text={sentence(page.headline || page.kind)} /></h1>
      {page.summary.map((line) => <p><Prose text={sentence(line)} /></p>)}
      {page.findings.map((finding, n) => <FindingCard finding={finding} id={`${kind}-finding-${n + 1}`} />)}
      {page.sections.map((section) => <SectionView section={section} />)}
      {page.notes.map(([label, text]) => <p class={label === "note" ? "note" : "alert"}>{label !== "note" && `${label}: `}<Prose text={label === "note" ? sentence(text) : text} /></p>)}
      {page.next_steps.map((step) => <pre class="command" tabIndex={0}>{step}</pre>)}
    </div>
  );
}

export function SectionView({ section }: { section: SectionData }): JSX.Element | false {
  return section.blocks.some(hasContent) && (
    <section>{section.title && <h2>{sentence(`${section.title} `)}</h2>}{section.blocks.map((block) => <BlockView block={block} />)}</section>);
}

function hasContent(block: Block): boolean {
  switch (block.type) {
    case "Lines": return block.lines.length > 0;
    case "Items": return block.items.length > 0;
    case "Table": return block.rows.length > 0;
    case "Code": return block.text !== "";
    case "Fold": return block.blocks.some(hasContent);
  }
}

function BlockView({ block }: { block: Block }): JSX.Element {
  switch (block.type) {
    case "Lines": return <>{block.lines.map((line) => <p><Prose text={sentence(line)} /></p>)}</>;
    case "Items": return <><h3><Prose text={block.head} /></h3><ul class="changes">{block.items.map((item) => <li><Prose text={item} /></li>)}</ul></>;
    case "Code": return <pre tabIndex={0}>{block.text}</pre>;
    case "Fold": return <details><summary>{block.title}</summary>{block.blocks.map((inner) => <BlockView block={inner} />)}</details>;
    case "Table": return <TableView block={block} />;
  }
}

function TableView({ block }: { block: Extract<Block, { type: "Table" }> }): JSX.Element {
  const longest = Math.max(1, ...block.rows.flat().filter((cell) => typeof cell === "number"));
  const numeric = (column: Column) => (column.kind === "number" ? "num" : "");
  return (
    <div class="scroll" tabIndex={0}><table class={block.tone}>
      {block.columns.some((column) => column.title) && <thead><tr>{block.columns.map((column) => <th scope="col" class={numeric(column)}>{sentence(`${column.title} `)}</th>)}</tr></thead>}
      <tbody>{block.rows.map((row) => <tr>{row.map((cell, n) => <td class={numeric(block.columns[n]!)}><CellView cell={cell} longest={longest} isCode={block.columns[n]!.kind === "code"} /></td>)}</tr>)}</tbody>
    </table></div>
  );
}

function CellView({ cell, longest, isCode }: { cell: Cell; longest: number; isCode: boolean }): JSX.Element {
  if (typeof cell === "number") return <span class="bar" aria-hidden="true"><span style={{ width: `${(cell / longest) * 100}%` }} /></span>;
  if (typeof cell === "string") return isCode ? <code>{cell}</code> : <Place text={cell} />;
  return <>{cell.map((part) => <div>{typeof part === "string" ? <Prose text={part} /> : <><Place text={part.place} /> <code>{part.code}</code></>}</div>)}</>;
}

/** ``file:line`` of a file whose source the page has is a link. */
function Place({ text }: { text: string }): JSX.Element {
  const [, file, line] = /^(.+):(\d+)$/.exec(text) ?? [];
  const at = file ? index.files.indexOf(file) : -1;
  return at < 0 ? <Prose text={text} /> : <a href={`#line-${at}-${line}`}>{text}</a>;
}
