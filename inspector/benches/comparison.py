"""A bench against an earlier one: what changed by more than noise."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from inspector.benches.earlier import EarlierBench, EarlierRow, Key
from inspector.benches.ratio import Ratio, ratio_of
from inspector.benches.rows import BenchRow

_DEVICE = "device"
_NOTICEABLE = 0.02


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
class OtherMachine:
    """What another machine, or another torch, has otherwise.

    Attributes:
        what: ``device``, ``torch``, or ``processor and threads``.
        before: What it was.
        now: What it is.
    """

    what: str
    before: str
    now: str


@dataclasses.dataclass(frozen=True, slots=True)
class BenchComparison:
    """A bench against an earlier one.

    Attributes:
        earlier: The earlier one.
        matched: How many combinations both have times of.
        compared: How many of them anything could be said of: on another machine those that have a
            ratio to eager PyTorch in both.
        changes: What changed by more than noise; the worst kind first.
        others: What is another machine's.
        target: The model that is measured now, or an empty string.
    """

    earlier: EarlierBench
    matched: int
    compared: int
    changes: tuple[Change, ...]
    others: tuple[OtherMachine, ...]
    target: str = ""

    @property
    def same_machine(self) -> bool:
        """Whether device, processor, threads and version of torch are the same."""
        return not self.others

    @property
    def same_device(self) -> bool:
        """Whether the device is the same, so that memory is compared."""
        return all(other.what != _DEVICE for other in self.others)

    @property
    def is_of_another(self) -> bool:
        """Whether the earlier one is of a file of another name; folders are moved more often."""
        names = [PurePath(each).name for each in (self.target, self.earlier.target) if each]
        return len(set(names)) > 1


def compared(
    rows: Sequence[BenchRow],
    earlier: EarlierBench,
    machine: tuple[str, str, str],
    target: str = "",
) -> BenchComparison:
    """Finds what changed.

    A ratio to eager PyTorch has changed where each of the two is outside of the other's interval:
    what the machine did meets eager PyTorch, too. Plain times are compared on the same machine with
    the same torch alone, by the spread between the sessions of each run; memory on the same device.

    Args:
        rows: What is measured now.
        earlier: What was measured then.
        machine: The device, the version of torch and the processor now.
        target: The model that is measured now.
    """
    others = tuple(_others(earlier, machine))
    is_same = not others
    device = earlier.device == machine[0]
    now = {_key(row): row for row in rows}
    changes: list[Change] = []
    for key, row in now.items():
        before = earlier.rows.get(key)
        if before is not None:
            changes += _changes(row, before, _inputs(row), same=is_same, same_device=device)
    for key, before in earlier.rows.items():
        if key not in now and before.latency_ns is not None:
            changes.append(Change(None, before.label, key[2], "there", None, None, None))
    both = [
        key for key, row in now.items()
        if row.latency and key in earlier.rows and earlier.rows[key].latency_ns
    ]  # fmt: skip
    changes.sort(key=lambda change: (change.is_worse is not True, change.is_worse is None))
    told = [key for key in both if _is_told(now[key], earlier.rows[key], same=is_same)]
    return BenchComparison(earlier, len(both), len(told), tuple(changes), others, target)


def _is_told(row: BenchRow, before: EarlierRow, *, same: bool) -> bool:
    """Whether a change of a row's time would be seen."""
    if row.faster is not None:
        return before.faster is not None
    return same and _plain_ratio(before, row) is not None


def _others(earlier: EarlierBench, machine: tuple[str, str, str]) -> Iterator[OtherMachine]:
    names = (_DEVICE, "torch", "processor and threads")
    before = (earlier.device, earlier.torch, earlier.processor)
    for name, was, now in zip(names, before, machine, strict=True):
        if was != now:
            yield OtherMachine(name, was, now)


def _key(row: BenchRow) -> Key:
    workload = json.dumps(dataclasses.asdict(row.workload), sort_keys=True)
    return workload, row.input, row.inputs, row.varies, row.setting.label


def _inputs(row: BenchRow) -> str:
    return " · ".join(filter(None, (row.workload.label, row.varies, row.inputs)))


def _changes(
    row: BenchRow, before: EarlierRow, inputs: str, *, same: bool, same_device: bool
) -> Iterator[Change]:
    def change(what: str, was: float | None, now: float | None, *, worse: bool | None) -> Change:
        return Change(row, before.label, inputs, what, was, now, worse)

    if (row.latency is None) != (before.latency_ns is None):
        yield change("there", None, None, worse=row.latency is None)
        return
    if row.is_wrong != before.is_wrong:
        yield change("wrong", before.is_wrong, row.is_wrong, worse=row.is_wrong)
    if row.faster and before.faster:
        if not (row.faster.holds(before.faster) or before.faster.holds(row.faster)):
            was, now = before.faster.middle, row.faster.middle
            yield change("faster", was, now, worse=now < was)
    elif same and row.latency and before.latency_ns and row.faster is None:
        ratio = _plain_ratio(before, row)
        if ratio is not None and ratio.is_known:
            was, now = before.latency_ns, row.latency.middle_ns
            yield change("time", was, now, worse=now > was)
    peak = row.memory.get("peak_allocated")
    was_peak = before.peak_bytes if same_device else None
    if peak and was_peak and abs(peak / was_peak - 1) > _NOTICEABLE:
        yield change("memory", was_peak, peak, worse=peak > was_peak)
    yield from _counts(row, before, change)


def _counts(row: BenchRow, before: EarlierRow, change: Callable[..., Change]) -> Iterator[Change]:
    counts = dataclasses.asdict(row.compiled) if row.compiled else {}
    for name, count in before.counts.items():
        if name in counts and counts[name] != count:
            worse = None if name in {"kernels", "graphs"} else counts[name] > count
            yield change(name, count, counts[name], worse=worse)


def _plain_ratio(before: EarlierRow, row: BenchRow) -> Ratio | None:
    """Time before by time now; None where they have not two sessions in common.

    Rounds of one session say nothing of what differs between processes.
    """
    sessions = {session for session, _ in before.medians} & {session for session, _ in row.medians}
    return ratio_of(before.medians, row.medians) if len(sessions) > 1 else None
