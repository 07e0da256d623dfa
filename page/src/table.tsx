// A table that is sorted by the column that is clicked; what has no value comes last.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useFirst } from "./parts";

const MOST_ROWS = 60;

export interface Column<T> {
  title: string;
  /** What it is sorted by. */
  value: (row: T) => number | string | null | undefined;
  show: (row: T) => ComponentChildren;
  isText?: boolean;
}

export function Sorted<T>({ columns, rows, by, attributes, below }: {
  columns: Column<T>[]; rows: T[];
  /** Title of the column that it is sorted by at first. */
  by: string;
  attributes?: (row: T) => JSX.IntrinsicElements["tr"];
  /** What follows a row, across all columns. */
  below?: (row: T) => JSX.Element | null;
}): JSX.Element {
  const title = useSignal(by), ascending = useSignal(columns.find((column) => column.title === by)?.isText ?? false);
  const column = columns.find((item) => item.title === title.value) ?? columns[0]!;
  const order = [...rows].sort((a, b) => {
    const x = column.value(a) ?? null, y = column.value(b) ?? null;
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const found = typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y);
    return ascending.value ? found : -found;
  });
  const [shown, more] = useFirst(order, MOST_ROWS);
  const pick = (item: Column<T>) => {
    ascending.value = item === column ? !ascending.value : item.isText ?? false;
    title.value = item.title;
  };
  return (
    <div class="scroll" tabIndex={0}><table class="sorted">
      <thead><tr>{columns.map((item) => (
        <th scope="col" class={item.isText ? "" : "num"} aria-sort={item === column ? (ascending.value ? "ascending" : "descending") : undefined}>
          <button type="button" onClick={() => pick(item)}>{item.title}{item === column && <span aria-hidden="true">{ascending.value ? " ↑" : " ↓"}</span>}</button>
        </th>))}</tr></thead>
      <tbody>{shown.map((row) => {
        const under = below?.(row);
        return <>
          <tr {...attributes?.(row)}>{columns.map((item, n) => n
            ? <td class={item.isText ? "" : "num"}>{item.show(row)}</td>
            : <th scope="row">{item.show(row)}</th>)}</tr>
          {under && <tr class="below"><td colSpan={columns.length}>{under}</td></tr>}
        </>;
      })}</tbody>
    </table>{more}</div>
  );
}
