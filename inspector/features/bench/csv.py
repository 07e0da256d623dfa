"""A bench as comma-separated values: a line for each combination and input."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from inspector.features.bench.rows import BenchRow

_HEADS = (
    "target", "workload", "input", "inputs", "setting", "latency_ns", "p5_ns", "p95_ns", "calls",
    "items_per_s", "faster_than_eager", "faster_low", "faster_high", "first_call_ns",
    "cached_first_call_ns", "break_even_calls", "peak_allocated_bytes", "peak_reserved_bytes",
    "error_to_eager", "error_to_float64", "wrong", "graphs", "graph_breaks", "recompiles",
    "kernels", "failure",
)  # fmt: skip


def write_bench_rows(rows: Iterable[tuple[str, BenchRow | str]], stream: TextIO) -> None:
    """Writes a head and all rows, each with its model's name; what is not known is empty.

    A text in place of a row is why nothing of a model was measured.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_HEADS)
    for name, row in rows:
        if isinstance(row, str):
            writer.writerow([name, *[""] * (len(_HEADS) - 2), row])
            continue
        writer.writerow(["" if item is None else item for item in _row(name, row)])


def _row(target: str, row: BenchRow) -> tuple[object, ...]:
    latency, faster, compiled = row.latency, row.faster, row.compiled
    return (
        target,
        row.workload.label,
        row.input + 1,
        row.inputs,
        row.setting.label,
        round(latency.middle_ns) if latency else None,
        round(latency.p5_ns) if latency else None,
        round(latency.p95_ns) if latency else None,
        latency.calls if latency else 0,
        float(f"{row.items_per_s:.6g}") if row.items_per_s else None,
        round(faster.middle, 4) if faster else None,
        round(faster.low, 4) if faster else None,
        round(faster.high, 4) if faster else None,
        row.first_ns,
        row.cached_first_ns,
        row.break_even_calls,
        row.memory.get("peak_allocated"),
        row.memory.get("peak_reserved"),
        row.worst.get("eager"),
        row.worst.get("float64"),
        row.is_wrong,
        compiled.graphs if compiled else None,
        compiled.graph_breaks if compiled else None,
        compiled.recompiles if compiled else None,
        compiled.kernels if compiled else None,
        row.failure,
    )
