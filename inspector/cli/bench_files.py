"""Writes a bench as CSV: the rows of its JSON, a column for each number and text."""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from inspector import plugins
from inspector.cli.output import write_bytes
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.report import BenchReport

Measurements: TypeAlias = BenchReport | CollectionReport
"""A report of what was measured with warm calls."""


def is_table(output: Path | None) -> bool:
    """Whether a file is a table, and no report."""
    return output is not None and output.suffix.lower() == ".csv"


def write_table(report: Measurements, output: Path) -> None:
    """Writes a line for each combination and input; of a model that was not measured, why.

    Raises:
        RecordingError: The file cannot be written.
    """
    lines = [dict(_flat(line)) for line in _lines(report)]
    text = io.StringIO()
    heads = dict.fromkeys(name for line in lines for name in line)
    writer = csv.DictWriter(text, list(heads), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    write_bytes(output, text.getvalue().encode())


def _lines(report: Measurements) -> Iterator[Mapping[str, object]]:
    fields = plugins.fields(report)
    if isinstance(report, CollectionReport):
        for model in fields["models"]:
            for row in model["rows"] or [{"failure": model["failure"]}]:
                yield {"target": model["name"], **row}
        return
    # What varies, by input: shapes alone do not tell values apart.
    varied = {item.row.input: item.label for each in report.varied for item in each.inputs}
    for group in fields["groups"]:
        inputs = ": ".join(filter(None, (varied.get(group["input"]), group["inputs"])))
        own = {"target": fields["target"], "workload": group["workload"], "input": group["input"]}
        yield from ({**own, "inputs": inputs, **row} for row in group["rows"])


def _flat(fields: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """``latency_ns``, ``setting.mode``; lists are left out."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        elif not isinstance(value, list):
            yield above + name, value
