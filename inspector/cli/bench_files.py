"""Writes a bench as CSV."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from inspector.cli.output import write_bytes
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.report import BenchReport
from inspector.features.bench.rows import BenchRow
from inspector.shared.bench import Setting, Workload

Measurements: TypeAlias = BenchReport | CollectionReport
"""A report of what was measured with warm calls."""


def is_table(output: Path | None) -> bool:
    """Whether a file is a table, and no report."""
    return output is not None and output.suffix.lower() == ".csv"


def write_table(report: Measurements, output: Path) -> None:
    """Writes a line for each combination and input.

    Raises:
        RecordingError: The file cannot be written.
    """
    text = io.StringIO()
    heads = list(_cells("", BenchRow(0, Workload(), Setting())))
    writer = csv.DictWriter(text, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_lines(report))
    write_bytes(output, text.getvalue().encode())


def _lines(report: Measurements) -> Iterator[dict[str, object]]:
    """A line for each combination and input; of a model that was not measured, why."""
    if isinstance(report, BenchReport):
        # What varies, by input: shapes alone do not tell values apart.
        varied = {item.row.input: item.label for each in report.varied for item in each.inputs}
        for row in report.rows:
            inputs = ": ".join(filter(None, (varied.get(row.input), row.inputs)))
            yield {**_cells(report.plan.target, row), "inputs": inputs}
        return
    for model in report.models:
        yield from (_cells(model.name, row) for row in model.rows)
        if not model.rows:
            yield {"target": model.name, "failure": model.failure}


def _cells(target: str, row: BenchRow) -> dict[str, object]:
    latency, faster, compiled = row.latency, row.faster, row.compiled
    return {
        "target": target,
        "workload": row.workload.label,
        "input": row.input + 1,
        "inputs": row.inputs,
        "setting": row.setting.label,
        "latency_ns": round(latency.middle_ns) if latency else None,
        "p5_ns": round(latency.p5_ns) if latency else None,
        "p95_ns": round(latency.p95_ns) if latency else None,
        "calls": latency.calls if latency else 0,
        "items_per_s": float(f"{row.items_per_s:.6g}") if row.items_per_s else None,
        "faster_than_eager": round(faster.middle, 4) if faster else None,
        "faster_low": round(faster.low, 4) if faster else None,
        "faster_high": round(faster.high, 4) if faster else None,
        "first_call_ns": row.first_ns,
        "cached_first_call_ns": row.cached_first_ns,
        "break_even_calls": row.break_even_calls,
        "peak_allocated_bytes": row.memory.get("peak_allocated"),
        "peak_reserved_bytes": row.memory.get("peak_reserved"),
        "error_to_eager": row.worst.get("eager"),
        "error_to_float64": row.worst.get("float64"),
        "wrong": row.is_wrong,
        "graphs": compiled.graphs if compiled else None,
        "graph_breaks": compiled.graph_breaks if compiled else None,
        "recompiles": compiled.recompiles if compiled else None,
        "kernels": compiled.kernels if compiled else None,
        "failure": row.failure,
    }
