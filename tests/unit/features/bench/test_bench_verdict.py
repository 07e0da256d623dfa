"""What is said first about one workload."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from inspector.features.bench.choice import choose
from inspector.features.bench.compiled import Compiled
from inspector.features.bench.ratio import Ratio
from inspector.features.bench.report import BenchGroup
from inspector.features.bench.rows import INTERRUPTED, BenchRow, Latency
from inspector.features.bench.verdict import verdict_lines
from inspector.features.profile.budget import make_budget
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.wording import time_lines
from inspector.records.bench import OutputError
from inspector.report.finding import Finding, Place, Severity
from inspector.shared.bench import Setting, Workload
from tests.bench_rows import row
from tests.unit.features.profile.test_budget import PROFILE

EAGER = row(Setting())
INDUCTOR, AOT = Setting("inductor"), Setting("aot_eager")


def verdict(*rows: BenchRow, reasons: tuple[Finding, ...] = ()) -> list[str]:
    everything = (EAGER, *rows)
    group = BenchGroup(Workload(), 0, "", everything, choose(everything), reasons)
    return list(verdict_lines(group))


def failed(setting: Setting, failure: str = "its process was ended by SIGSEGV") -> BenchRow:
    return row(setting, failure=failure)


def unsure(setting: Setting, low: float, ratio: float, high: float) -> BenchRow:
    more: dict[str, Any] = {"faster": Ratio(low, ratio, high)}
    return row(setting, ratio, **more)


def test_where_no_setting_is_measured_the_verdict_says_so() -> None:
    assert verdict(failed(INDUCTOR), failed(AOT)) == [
        "No setting was measured: default, aot_eager failed (see below)"
    ]
    assert not any("nothing is" in line for line in verdict(failed(INDUCTOR), row(AOT, 2.0)))


def test_what_ctrl_c_left_undone_has_not_failed() -> None:
    assert verdict(failed(INDUCTOR, INTERRUPTED), failed(AOT, INTERRUPTED)) == []


def test_a_ratio_of_one_of_several_says_whose_it_is() -> None:
    first, *_ = verdict(unsure(INDUCTOR, 0.9, 1.3, 1.9), unsure(AOT, 0.8, 1.0, 1.2))
    assert first == (
        "No measurable difference from eager: default, aot_eager "
        "(default 1.30\N{MULTIPLICATION SIGN}; "
        "another run: 0.90\N{EN DASH}1.90\N{MULTIPLICATION SIGN})"
    )
    first, *_ = verdict(unsure(AOT, 0.8, 1.0, 1.2))
    assert "aot_eager (1.00\N{MULTIPLICATION SIGN}" in first


def test_where_there_is_no_graph_nothing_was_compiled() -> None:
    found = Finding("graph-break", Severity.WARNING, "Unsupported Tensor.item() call")
    none = row(AOT, 0.5, compiled=Compiled(0, 1, 0, 0, 0, None))
    (_, said, *_) = verdict(none, reasons=(found,))
    assert said == "Nothing was compiled: Unsupported Tensor.item() call"
    (_, said, *_) = verdict(row(AOT, 0.5), reasons=(found,))
    assert said == "Found in the compilation: Unsupported Tensor.item() call"
    places = [dataclasses.replace(found, place=Place("model.py", line)) for line in (6, 7, 7)]
    (_, said, *_) = verdict(row(AOT, 0.5), reasons=tuple(places))
    assert said == (
        "Found in the compilation: Unsupported Tensor.item() call (model.py:6); Unsupported "
        "Tensor.item() call (model.py:7)"
    )


def test_of_a_profile_whose_calls_are_others_nothing_is_said() -> None:
    budget = make_budget(PROFILE)
    profile = Profiled(PROFILE, budget, (), {}, {}, {}, {}, ())
    for time_ns, is_told in ((budget.wall_ns / 1.2, True), (budget.wall_ns / 300, False)):
        rows = (EAGER, row(INDUCTOR, 0.5, latency=Latency(time_ns, 1, 2, 9)))
        group = BenchGroup(Workload(), 0, "", rows, choose(rows), (), profile)
        said = [line for line in verdict_lines(group) if line.startswith("Profile of default")]
        told = [f"Profile of default: {line}" for line in time_lines(profile)]
        assert told
        assert said == (told if is_told else [])


def test_what_can_be_as_fast_and_twice_or_half_as_fast_is_not_known() -> None:
    first, second, *_ = verdict(unsure(INDUCTOR, 0.95, 1.78, 3.33), unsure(AOT, 0.6, 1.0, 1.6))
    assert first == (
        "No measurable difference from eager: aot_eager "
        "(1.00\N{MULTIPLICATION SIGN}; another run: 0.60\N{EN DASH}1.60\N{MULTIPLICATION SIGN})"
    )
    assert second.startswith("Timings vary too much to compare default with eager: ")


@pytest.mark.parametrize(
    ("name", "mine", "theirs", "said"),
    [
        ("output of input 1[1]", "", "int64[]",
         "output[1] of input 1 is missing (int64[] in eager)"),
        ("output of input 1['a']", "3", "",
         "output['a'] of input 1 is 3, but eager returns nothing there"),
        ("output of input 1", "None", "float32[2]",
         "output of input 1 is None instead of float32[2]"),
        ("buffer n after input 1", "", "int64[]",
         "buffer n is not changed by input 1, but eager changes it"),
        ("argument x after input 2", "int64[]", "",
         "argument x is changed by input 2, but eager does not change it"),
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_told_with_both_sides(
    name: str, mine: str, theirs: str, said: str
) -> None:
    error = OutputError("eager", name, float("inf"), within=False, mine=mine, theirs=theirs)
    first, *_ = verdict(row(INDUCTOR, 2.0, wrong=(name,), errors=(error,)))
    assert first == f"default gives wrong results: {said}"
