"""An earlier report of a bench, as it was written as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from inspector.benches.ratio import Ratio

_FORMAT_VERSION = 1
_NO_REPORT = "it is no report of `inspect bench` as JSON"
Key: TypeAlias = tuple[str, int, str, str, str]
"""A workload as JSON, the number of the input, the inputs, what varies in them, the setting."""
_COUNTS = ("graphs", "graph_breaks", "recompiles", "kernels")


@dataclasses.dataclass(frozen=True, slots=True)
class EarlierRow:
    """What an earlier report says of a combination with one input.

    Attributes:
        label: The setting.
        faster: Eager time by its time, or None.
        latency_ns: The time of a call, or None.
        medians: The median of each block in ns, by session and round.
        peak_bytes: The most memory in a call, or None.
        counts: What was compiled, by name.
        is_wrong: Whether its results were wrong.
        failure: Why it was not measured, or an empty string.
    """

    label: str
    faster: Ratio | None
    latency_ns: float | None
    medians: Mapping[tuple[int, int], float]
    peak_bytes: int | None
    counts: Mapping[str, int]
    is_wrong: bool
    failure: str


@dataclasses.dataclass(frozen=True, slots=True)
class EarlierBench:
    """An earlier report.

    Attributes:
        name: Its file.
        started: When it was measured, UTC in ISO 8601, or an empty string.
        device: Its device.
        torch: Its version of torch, or an empty string.
        processor: The CPU's name and the number of threads, as text.
        conditions: How calls were made: with gradients, with an empty cache.
        rows: Its rows, by workload, number of the input, inputs and setting.
        target: The model, or an empty string.
    """

    name: str
    started: str
    device: str
    torch: str
    processor: str
    conditions: tuple[bool, bool]
    rows: Mapping[Key, EarlierRow]
    target: str = ""


def read_earlier(name: str, text: str) -> EarlierBench:
    """Reads a report that was written with ``--format json``.

    Raises:
        ValueError: It is none.
    """
    try:
        fields: dict[str, Any] = json.loads(text)
        is_known = fields.get("kind") == "bench" and fields["format_version"] <= _FORMAT_VERSION
        if is_known:
            return EarlierBench(
                name=name,
                started=str(fields["recording"].get("started") or ""),
                device=str(fields["device"]),
                torch=str(fields["versions"].get("torch") or ""),
                processor=processor_of(fields),
                conditions=(bool(fields["grad"]), bool(fields["cold_cache"])),
                rows=dict(_rows(fields["groups"], _varies(fields))),
                target=str(fields.get("target") or ""),
            )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(_NO_REPORT) from error
    raise ValueError(_NO_REPORT)


def processor_of(fields: Mapping[str, Any]) -> str:
    """The CPU's name and the number of threads of a report as JSON."""
    return f"{fields.get('processor') or ''} {fields.get('threads') or ''}".strip()


def _varies(fields: Mapping[str, Any]) -> Mapping[int, str]:
    """What is varied in each input, by its number."""
    first: Mapping[str, Any] = next(iter(fields.get("varied") or ()), {})
    return {at: str(item["label"]) for at, item in enumerate(first.get("inputs", ()))}


def _rows(
    groups: Sequence[Mapping[str, Any]], varies: Mapping[int, str]
) -> Iterator[tuple[Key, EarlierRow]]:
    for group in groups:
        varied = varies.get(group["input"], "")
        workload = json.dumps(group["workload"], sort_keys=True)
        for row in group["rows"]:
            key = (workload, group["input"], group["inputs"], varied, row["label"])
            yield key, _row(row)


def _row(fields: Mapping[str, Any]) -> EarlierRow:
    interval = fields["faster_than_eager_interval"]
    ratio = fields["faster_than_eager"]
    compiled = fields["compiled"] or {}
    return EarlierRow(
        label=str(fields["label"]),
        faster=Ratio(interval[0], ratio, interval[1]) if interval and ratio else None,
        latency_ns=fields["latency_ns"],
        medians=_medians(fields["blocks"]),
        peak_bytes=fields["memory_bytes"].get("peak_allocated"),
        counts={name: int(compiled[name]) for name in _COUNTS if name in compiled},
        is_wrong=bool(fields["wrong"]),
        failure=str(fields["failure"] or ""),
    )


def _medians(blocks: Sequence[Mapping[str, Any]]) -> Mapping[tuple[int, int], float]:
    return {(item["session"], item["round"]): item["median_ns"] for item in blocks}
