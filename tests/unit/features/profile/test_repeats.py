"""What a call would win if libraries did not compute the same again."""

from __future__ import annotations

import dataclasses

from inspector.features.profile.budget import make_budget
from inspector.features.profile.gains.gains import gains
from inspector.features.profile.gains.library_gains import repeated_work
from inspector.features.profile.kernel_timing import kernel_timings
from inspector.run.kernel import Call, NodeLine
from tests.unit.features.profile.test_budget import PROFILE
from tests.unit.features.profile.test_kernel_timing import launched

LINES = [NodeLine("linear", "/p/model.py", number, "self.gate(x)") for number in (14, 15, 16, 17)]


def call(line: int, repeats: int = 0, kind: str = "extern", node: NodeLine = LINES[0]) -> Call:
    return Call(kind, "addmm", line, nodes=(node,), repeats=repeats)


def test_the_calls_behind_the_first_could_be_won() -> None:
    calls = [call(3), call(5, 3), call(7, 3), call(9, 8, "kernel")]
    work = kernel_timings([launched("gemm", 300_000, call=each) for each in calls], None, 0)

    assert [item.launches[0].call for item in repeated_work(work)] == calls[1:3]
    budget = make_budget(dataclasses.replace(PROFILE, plain_ns=(2_000_000,) * 3))
    found = gains(budget, work, "", is_cpu=False)
    (gain,) = [gain for gain in found if "have computed" in gain.what]
    assert gain.what == (
        "2 of the calls of libraries compute what others have computed (model.py:14)"
    )
    assert gain.time_ns == 600_000 / budget.shown_slowdown
    assert "in front of the loop" in gain.change


def test_of_many_lines_some_are_named() -> None:
    calls = [call(20 + place, 3, node=line) for place, line in enumerate(LINES)]
    work = kernel_timings([launched("gemm", 300_000, call=each) for each in calls], None, 0)
    found = gains(make_budget(PROFILE), work, "", is_cpu=False)

    assert any("(model.py:14, model.py:15, model.py:16 and 1 more)" in gain.what for gain in found)
