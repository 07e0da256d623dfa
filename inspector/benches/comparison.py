"""A bench against an earlier one: what changed by more than noise."""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

from inspector.benches.ratio import Ratio, ratio_of
from inspector.benches.rows import BenchRow

__all__ = [
    "BenchComparison",
    "Change",
    "EarlierBench",
    "compared",
    "processor_of",
    "read_earlier",
]

_FORMAT_VERSION = 1
_NO_REPORT = "it is no report of `inspect bench` as JSON"
_NOTICEABLE = 0.02
Key: TypeAlias = tuple[str, int, str, str]
"""A workload as JSON, the number of the input, the inputs and the setting."""
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


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """Something that is no more what it was.

    Attributes:
        row: The combination as it is now, or None where it is not there any more.
        label: Its setting.
        inputs: Its workload and inputs, as text.
        what: ``faster`` (the ratio to eager PyTorch), ``time``, ``memory``, a count, ``wrong`` or
            ``there`` (measured at all).
        before: What it was, or None.
        after: What it is, or None.
        is_worse: Whether it is worse; None where that is nobody's to say.
    """

    row: BenchRow | None
    label: str
    inputs: str
    what: str
    before: float | None
    after: float | None
    is_worse: bool | None


@dataclasses.dataclass(frozen=True, slots=True)
class BenchComparison:
    """A bench against an earlier one.

    Attributes:
        earlier: The earlier one.
        matched: How many combinations both have times of.
        changes: What changed by more than noise; the worst kind first.
        same_machine: Whether device and version of torch are the same.
        target: The model that is measured now, or an empty string.
    """

    earlier: EarlierBench
    matched: int
    changes: tuple[Change, ...]
    same_machine: bool
    target: str = ""

    @property
    def is_of_another(self) -> bool:
        """Whether the earlier one is of a file of another name; folders are moved more often."""
        names = [PurePath(each).name for each in (self.target, self.earlier.target) if each]
        return len(set(names)) > 1


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
                rows=dict(_rows(fields["groups"])),
                target=str(fields.get("target") or ""),
            )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(_NO_REPORT) from error
    raise ValueError(_NO_REPORT)


def processor_of(fields: Mapping[str, Any]) -> str:
    """The CPU's name and the number of threads of a report as JSON."""
    return f"{fields.get('processor') or ''} {fields.get('threads') or ''}".strip()


def _rows(groups: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Key, EarlierRow]]:
    for group in groups:
        workload = json.dumps(group["workload"], sort_keys=True)
        for row in group["rows"]:
            yield (workload, group["input"], group["inputs"], row["label"]), _row(row)


def _row(fields: Mapping[str, Any]) -> EarlierRow:
    interval = fields["faster_than_eager_interval"]
    ratio = fields["faster_than_eager"]
    compiled = fields["compiled"] or {}
    return EarlierRow(
        label=str(fields["label"]),
        faster=Ratio(interval[0], ratio, interval[1]) if interval and ratio else None,
        latency_ns=fields["latency_ns"],
        medians={(item["session"], item["round"]): item["median_ns"] for item in fields["blocks"]},
        peak_bytes=fields["memory_bytes"].get("peak_allocated"),
        counts={name: int(compiled[name]) for name in _COUNTS if name in compiled},
        is_wrong=bool(fields["wrong"]),
        failure=str(fields["failure"] or ""),
    )


def compared(
    rows: Sequence[BenchRow],
    earlier: EarlierBench,
    machine: tuple[str, str, str],
    target: str = "",
) -> BenchComparison:
    """Finds what changed.

    A ratio to eager PyTorch has changed where each of the two is outside of the other's interval:
    what the machine did meets eager PyTorch, too. Plain times are compared on the same machine with
    the same torch alone, by the spread between their sessions.

    Args:
        rows: What is measured now.
        earlier: What was measured then.
        machine: The device, the version of torch and the processor now.
        target: The model that is measured now.
    """
    same = (earlier.device, earlier.torch, earlier.processor) == machine
    now = {_key(row): row for row in rows}
    changes: list[Change] = []
    for key, row in now.items():
        before = earlier.rows.get(key)
        if before is not None:
            changes += _changes(row, before, _inputs(row), same=same)
    for key, before in earlier.rows.items():
        if key not in now and before.latency_ns is not None:
            changes.append(Change(None, before.label, key[2], "there", None, None, None))
    both = [
        key for key, row in now.items()
        if row.latency and key in earlier.rows and earlier.rows[key].latency_ns
    ]  # fmt: skip
    changes.sort(key=lambda change: (change.is_worse is not True, change.is_worse is None))
    return BenchComparison(earlier, len(both), tuple(changes), same, target)


def _key(row: BenchRow) -> Key:
    workload = json.dumps(dataclasses.asdict(row.workload), sort_keys=True)
    return workload, row.input, row.inputs, row.setting.label


def _inputs(row: BenchRow) -> str:
    return " · ".join(filter(None, (row.workload.label, row.inputs)))


def _changes(row: BenchRow, before: EarlierRow, inputs: str, *, same: bool) -> Iterator[Change]:
    def change(what: str, was: float | None, now: float | None, *, worse: bool | None) -> Change:
        return Change(row, before.label, inputs, what, was, now, worse)

    if (row.latency is None) != (before.latency_ns is None):
        yield change("there", None, None, worse=row.latency is None)
        return
    if row.is_wrong != before.is_wrong:
        yield change("wrong", before.is_wrong, row.is_wrong, worse=row.is_wrong)
    if row.faster and before.faster and _has_changed(before.faster, row.faster):
        was, now = before.faster.middle, row.faster.middle
        yield change("faster", was, now, worse=now < was)
    elif same and row.latency and before.latency_ns and row.faster is None:
        ratio = _plain_ratio(before.medians, row.medians)
        if ratio is not None and ratio.is_known:
            was, now = before.latency_ns, row.latency.middle_ns
            yield change("time", was, now, worse=now > was)
    peak = row.memory.get("peak_allocated")
    if peak and before.peak_bytes and abs(peak / before.peak_bytes - 1) > _NOTICEABLE:
        yield change("memory", before.peak_bytes, peak, worse=peak > before.peak_bytes)
    counts = dataclasses.asdict(row.compiled) if row.compiled else {}
    for name, count in before.counts.items():
        if name in counts and counts[name] != count:
            worse = None if name in {"kernels", "graphs"} else counts[name] > count
            yield change(name, count, counts[name], worse=worse)


def _has_changed(before: Ratio, after: Ratio) -> bool:
    def holds(interval: Ratio, other: Ratio) -> bool:
        return interval.low <= other.middle <= interval.high

    return not holds(before, after) and not holds(after, before)


def _plain_ratio(
    before: Mapping[tuple[int, int], float], after: Mapping[tuple[int, int], float]
) -> Ratio | None:
    """Time before by time after: sessions of two runs have nothing in common, rounds neither."""
    means = [_session_means(item) for item in (before, after)]
    if min(map(len, means)) < 2:  # noqa: PLR2004 - a spread needs two
        return None
    pairs = {(at, 0): math.exp(value) for at, value in enumerate(means[0])}
    others = {(at, 0): math.exp(value) for at, value in enumerate(means[1])}
    return ratio_of(pairs, others)


def _session_means(medians: Mapping[tuple[int, int], float]) -> list[float]:
    sessions: dict[int, list[float]] = {}
    for (session, _), median in sorted(medians.items()):
        sessions.setdefault(session, []).append(math.log(median))
    return [statistics.fmean(rounds) for rounds in sessions.values()]
