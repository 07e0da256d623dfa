"""A bench against an earlier one, which was written as JSON: what changed by more than noise."""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

from inspector.features.bench.ratio import Ratio
from inspector.features.bench.rows import BenchRow

Key: TypeAlias = tuple[str, int, str, str, str]
"""A workload as JSON, the number of the input, the inputs, what varies in them, the setting."""

_FORMAT_VERSION = 1
_NO_REPORT = "it is not a JSON report of `inspect bench`"
_COUNTS = ("graphs", "graph_breaks", "recompiles", "kernels")
_NEITHER = frozenset({"graphs", "kernels"})  # more of them is neither better nor worse
_NOTICEABLE = 0.02


@dataclasses.dataclass(frozen=True, slots=True)
class EarlierRow:
    """What an earlier report says of a combination with one input.

    Attributes:
        faster: Eager time by its time.
        peak_bytes: The most memory in a call.
        counts: What was compiled, by name.
    """

    faster: Ratio | None
    is_measured: bool
    peak_bytes: int | None
    counts: Mapping[str, int]
    is_wrong: bool


@dataclasses.dataclass(frozen=True, slots=True)
class EarlierBench:
    """An earlier report.

    Attributes:
        name: Its file.
        started: When it was measured, UTC in ISO 8601, or an empty string.
        is_grad: Whether calls that do not train ran with gradients.
    """

    name: str
    started: str
    device: str
    torch: str
    is_grad: bool
    target: str
    rows: Mapping[Key, EarlierRow]


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A value that changed.

    Attributes:
        label: The setting.
        inputs: Its workload and inputs, as text.
        what: ``faster`` (the ratio to eager PyTorch), ``memory``, a count, ``wrong``, ``failed``
            (or runs again), or ``gone`` (not measured any more).
        is_worse: None where it is neither better nor worse.
        failure: Why it fails now, or an empty string.
    """

    label: str
    inputs: str
    what: str
    before: float | None = None
    after: float | None = None
    is_worse: bool | None = None
    failure: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class BenchComparison:
    """Comparison of a benchmark with an earlier one.

    Attributes:
        device: The device now; ``target`` likewise.
        compared: Number of combinations with a ratio to eager PyTorch in both.
        changes: Changes beyond noise, worst first.
    """

    earlier: EarlierBench
    device: str
    target: str
    compared: int
    changes: tuple[Change, ...]

    @property
    def is_of_another(self) -> bool:
        """Whether the earlier one is of a file of another name; folders are moved more often."""
        return PurePath(self.target).name != PurePath(self.earlier.target).name

    @property
    def is_worse(self) -> bool:
        """Whether anything has changed for the worse, or nothing could be compared."""
        is_there = self.compared or any(change.what != "gone" for change in self.changes)
        return not is_there or self.is_of_another or any(item.is_worse for item in self.changes)


def read_earlier(name: str, text: str) -> EarlierBench:
    """Reads a report that was written with ``--format json``; a `ValueError` where it is none."""
    try:
        fields: dict[str, Any] = json.loads(text)
        if fields.get("kind") == "bench" and fields["format_version"] <= _FORMAT_VERSION:
            return EarlierBench(
                name=name,
                started=str(fields["recording"].get("started") or ""),
                device=str(fields["device"]),
                torch=str(fields["versions"].get("torch") or ""),
                is_grad=bool(fields["grad"]),
                target=str(fields["target"]),
                rows=dict(_earlier_rows(fields)),
            )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(_NO_REPORT) from error
    raise ValueError(_NO_REPORT)


def _earlier_rows(fields: Mapping[str, Any]) -> Iterator[tuple[Key, EarlierRow]]:
    first: Mapping[str, Any] = next(iter(fields.get("varied") or ()), {})
    varies = dict(enumerate(str(item["label"]) for item in first.get("inputs", ())))
    for group in fields["groups"]:
        workload, number = json.dumps(group["workload"], sort_keys=True), group["input"]
        for row in group["rows"]:
            ratio, interval = row["faster_than_eager"], row["faster_than_eager_interval"]
            compiled = row["compiled"] or {}
            key = (workload, number, group["inputs"], varies.get(number, ""), str(row["label"]))
            yield (
                key,
                EarlierRow(
                    faster=Ratio(interval[0], ratio, interval[1]) if interval and ratio else None,
                    is_measured=row["latency_ns"] is not None,
                    peak_bytes=row["memory_bytes"].get("peak_allocated"),
                    counts={name: int(compiled[name]) for name in _COUNTS if name in compiled},
                    is_wrong=bool(row["wrong"]),
                ),
            )


def compared(
    rows: Sequence[BenchRow], earlier: EarlierBench, device: str, target: str
) -> BenchComparison:
    """Finds what changed.

    A ratio to eager PyTorch has changed where each of the two is outside of the other's interval:
    what the machine did meets eager PyTorch, too. Memory is compared on the same device alone.
    """
    now = {_key(row): row for row in rows}
    pairs = [(row, earlier.rows[key]) for key, row in now.items() if key in earlier.rows]
    same_device = device == earlier.device
    changes = [change for pair in pairs for change in _changes(*pair, same_device=same_device)]
    changes += [
        Change(label=key[-1], inputs=key[2], what="gone")
        for key, before in earlier.rows.items()
        if key not in now and before.is_measured
    ]
    changes.sort(key=lambda change: (change.is_worse is not True, change.is_worse is None))
    count = sum(row.faster is not None and before.faster is not None for row, before in pairs)
    return BenchComparison(earlier, device, target, count, tuple(changes))


def _key(row: BenchRow) -> Key:
    workload = json.dumps(dataclasses.asdict(row.workload), sort_keys=True)
    return workload, row.input, row.inputs, row.varies, row.setting.label


def _changes(row: BenchRow, before: EarlierRow, *, same_device: bool) -> Iterator[Change]:
    inputs = " · ".join(filter(None, (row.workload.label, row.varies, row.inputs)))
    of = Change(row.setting.label, inputs, "")
    if (row.latency is not None) != before.is_measured:
        yield dataclasses.replace(
            of, what="failed", is_worse=row.latency is None, failure=row.failure
        )
        return
    found: list[tuple[str, float, float, bool | None]] = []
    if row.is_wrong != before.is_wrong:
        found.append(("wrong", before.is_wrong, row.is_wrong, row.is_wrong))
    if row.faster and before.faster:
        was, now = before.faster, row.faster
        if not (now.holds(was) or was.holds(now)):
            found.append(("faster", was.middle, now.middle, now.middle < was.middle))
    peak, was_peak = row.memory.get("peak_allocated"), before.peak_bytes if same_device else None
    if peak and was_peak and abs(peak / was_peak - 1) > _NOTICEABLE:
        found.append(("memory", was_peak, peak, peak > was_peak))
    counts = dataclasses.asdict(row.compiled) if row.compiled else {}
    for name, count in before.counts.items():
        if counts.get(name, count) != count:
            worse = None if name in _NEITHER else counts[name] > count
            found.append((name, count, counts[name], worse))
    for what, was_value, value, worse in found:
        yield dataclasses.replace(of, what=what, before=was_value, after=value, is_worse=worse)
