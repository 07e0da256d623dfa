"""Renders a bench as CSV: the rows of its JSON, a column for each number and text."""

import csv
from collections.abc import Iterator, Mapping
from typing import Any, TextIO


def render(fields: Mapping[str, Any], stream: TextIO) -> None:
    """Writes a line for each combination and input; of a model that was not measured, why."""
    lines = [dict(_flat(line)) for line in _lines(fields)]
    heads = dict.fromkeys(name for line in lines for name in line)
    writer = csv.DictWriter(stream, list(heads), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)


def _lines(fields: Mapping[str, Any]) -> Iterator[Mapping[str, object]]:
    for model in fields.get("models", ()):
        for row in model["rows"] or [{"failure": model["failure"]}]:
            yield {"target": model["name"], **row}
    # What varies, by input: shapes alone do not tell values apart.
    varied = {
        item["input"]: item["label"] for each in fields.get("varied", ()) for item in each["inputs"]
    }
    for group in fields.get("groups", ()):
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
