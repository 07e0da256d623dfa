from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.features.guards.rules.guard_cost import RULE
from inspector.report.processes import found_in
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.run.timeline import Mark, MarkKind
from tests.unit.timelines import call_profile

TRACE = Path(__file__).resolve().parents[3] / "data" / "guards" / "torch_2_13.log"


def called(begin: int, guards_ns: int, call_ns: int) -> Mark:
    entered, end = begin + guards_ns, begin + call_ns
    lookup = Mark(MarkKind.LOOKUP, "", begin, entered, -1)
    region = Mark(MarkKind.REGION, "0/2", entered, end, -1)
    return Mark(MarkKind.CALL, "", begin, end, -1, (lookup, region))


def run_with(*guards_ns: int, call_ns: int = 200_000, is_recompiled: bool = True) -> Run:
    with opened(TRACE) as recording:
        run = read_run(recording)
    calls = [called(n * call_ns, each, call_ns) for n, each in enumerate(guards_ns)]
    process = run.processes[0].with_records(call_profile(calls, plain_ns=call_ns))
    if not is_recompiled:
        frames = tuple(
            dataclasses.replace(frame, compilations=frame.compilations[:1])
            for frame in process.frames
        )
        process = dataclasses.replace(process, frames=frames)
    return dataclasses.replace(run, processes=(process,))


def test_guards_that_take_a_good_part_of_a_call() -> None:
    (finding,) = found_in(run_with(60_000, is_recompiled=False), RULE.check)
    assert finding.message == "guards take 30% of a call"
    assert finding.place.line == 20
    assert finding.cost is not None
    assert (finding.cost.cost_ns, finding.cost.call_ns) == (60_000, 200_000)
    assert "skip_guard_eval_unsafe" in finding.fix


@pytest.mark.parametrize(
    ("guards_ns", "call_ns"),
    # What disturbs most calls is no guard.
    [((60_000,), 6_000_000), ((5_000,), 10_000), ((19_000, 60_000, 60_000), 200_000)],
)
def test_guards_that_cost_little(guards_ns: tuple[int, ...], call_ns: int) -> None:
    assert not list(found_in(run_with(*guards_ns, call_ns=call_ns), RULE.check))


def test_nothing_unsafe_is_advised_where_guards_tell_versions_apart() -> None:
    (finding,) = found_in(run_with(60_000), RULE.check)
    assert "Fix the recompilations first" in finding.fix
    assert finding.alternatives == ()
