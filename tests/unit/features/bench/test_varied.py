"""Over many inputs: what all of them take together, and whether that is more than noise."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.features.bench.varied import VariedSetting
from inspector.shared.bench import BenchPlan, WorkerEnd
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, first, report_of

ROUNDS = 4
VARIED = dataclasses.replace(
    PLAN, variations=((Assignment("x", 0, 1),), (Assignment("x", 0, 3),))
)  # fmt: skip


def compiled(folder: Path, *times_ns: tuple[int, int], plan: BenchPlan = VARIED) -> VariedSetting:
    """What takes these times in its rounds, eager PyTorch 10 µs and 1000 µs."""
    events = [
        first(at, each, 10_000_000 * at + 1, compiled=at) for at in range(2) for each in range(2)
    ]
    for number, (short_ns, long_ns) in enumerate(times_ns):
        for at, each_ns in enumerate((10_000, 1_000_000)):
            events.append(block(0, each_ns, round=number, input=at))
        for at, each_ns in enumerate((short_ns, long_ns)):
            events.append(block(1, each_ns, round=number, input=at))
    _, found = report_of(folder, *events, plan=plan).varied
    return found


def test_what_is_not_faster_beyond_noise_is_never_paid_for(tmp_path: Path) -> None:
    found = compiled(tmp_path, *[(5_000, 200_000), (5_000, 4_000_000)] * (ROUNDS // 2))
    assert found.faster is not None
    assert found.faster.middle == pytest.approx(1.11, abs=0.05)
    assert not found.faster.is_known
    assert not found.is_faster
    assert found.break_even_rounds is None


def test_one_call_of_each_together_decides_and_not_most_inputs(tmp_path: Path) -> None:
    """The short input is slower with the compiler, the long one, which has the time, faster."""
    times = [(20_000, 500_000 + 1_000 * at) for at in range(ROUNDS)]
    found = compiled(tmp_path, *times)
    assert [item.row.faster.low > 1 for item in found.inputs if item.row.faster] == [False, True]
    assert found.is_faster
    assert found.break_even_rounds == 40


def test_what_ends_while_it_is_timed_is_no_setting_to_take(tmp_path: Path) -> None:
    end = WorkerEnd(1, 0, "its process was killed by SIGSEGV")
    ended = dataclasses.replace(VARIED, ends=(end,))
    times = [(5_000, 500_000 + 1_000 * at) for at in range(ROUNDS)]
    found = compiled(tmp_path, *times)
    assert found.round_ns is not None
    found = compiled(tmp_path, *times, plan=ended)
    assert found.failure == end.failure
    assert (found.round_ns, found.break_even_rounds) == (None, None)
