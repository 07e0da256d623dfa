"""Rows of a recording whose log is written here, as a process writes it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.cli.bench_measure import exit_code
from inspector.features.bench.collection_report import make_collection_report, measured_of
from inspector.features.bench.report import make_bench_report
from inspector.features.bench.rows import BEHIND_ANOTHER, INTERRUPTED
from inspector.features.bench.wording import details, error_text
from inspector.shared.bench import BenchPlan, Combination, Setting, WorkerEnd, Workload
from tests.unit.bench_logs import PLAN, block, first, report_of
from tests.unit.bench_logs import rows_of as rows
from tests.unit.render import runs


def test_the_part_of_a_call_in_which_the_gpu_works(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 1, "busy_ns": 150_000, "launches": 9}
    eager, compiled = rows(tmp_path, "whole", block(0, 400_000), block(1, 200_000), busy)
    assert compiled.busy == pytest.approx(0.75)
    assert "GPU busy 75%, 9 launches" in details(compiled)
    assert eager.busy is None
    assert "GPU" not in details(eager)
    longer = {**busy, "combination": 0, "busy_ns": 410_000}  # measured apart
    assert rows(tmp_path, "whole", block(0, 400_000), longer)[0].busy == 1


def test_what_was_not_reached_before_ctrl_c_says_so(tmp_path: Path) -> None:
    eager, compiled = rows(tmp_path, "interrupted", block(0, 400_000))
    assert (eager.failure, compiled.failure) == ("", INTERRUPTED)
    assert rows(tmp_path, "whole", block(0, 400_000))[1].failure == ""


@pytest.mark.parametrize(("measured", "code"), [((0, 1), 0), ((0,), 3), ((), 3)])
def test_what_was_measured_decides_the_exit_code(
    measured: tuple[int, ...], code: int, tmp_path: Path
) -> None:
    report = report_of(tmp_path, *(block(at, 1_000_000) for at in measured))
    assert exit_code(report) == code
    eager = dataclasses.replace(report.groups[0].rows[0], failure="it crashed in a later session")
    failed = dataclasses.replace(report.groups[0], rows=(eager, *report.groups[0].rows[1:]))
    assert exit_code(dataclasses.replace(report, groups=(failed,))) == 3


def errors(combination: int, reference: str, *given: tuple[str, float, str]) -> dict[str, object]:
    found = [
        {"reference": reference, "name": name, "relative": relative, "scale": scale}
        for name, relative, scale in given
    ]
    return {"what": "errors", "combination": combination, "errors": found, "wrong": []}


def test_how_far_random_results_are_off_is_no_error(tmp_path: Path) -> None:
    own, far = ("output of input 1", 1e-7, "itself"), ("output of input 1", 0.8, "itself")
    eager, compiled = report_of(
        tmp_path, block(0, 400), block(1, 200), errors(0, "float64", far), errors(1, "eager", far)
    ).rows
    assert error_text(dataclasses.replace(compiled, draws=True)) == "random"
    assert error_text(compiled) == "8e-01"
    assert error_text(dataclasses.replace(eager, draws=True)) == "8e-01"  # both draw the same
    (_, near) = report_of(tmp_path, block(0, 400), block(1, 200), errors(1, "eager", own)).rows
    assert error_text(dataclasses.replace(near, draws=True)) == "1e-07"  # what is drawn has no part
    alone = errors(1, "eager", ("output of input 1", 0.8, "rounding"))
    (_, rounding) = report_of(tmp_path, block(0, 400), block(1, 200), alone).rows
    assert error_text(rounding) == "rounding"


def test_an_input_that_fails_is_a_row_with_its_reason_and_the_others_stay(tmp_path: Path) -> None:
    failed = {
        "what": "failed", "combination": 1, "input": 1, "failure": "It fails.", "detail": "here"
    }  # fmt: skip
    found = rows(
        tmp_path, "whole",
        *(event for at in range(3) for event in (first(0, at), block(0, 40, input=at))),
        *(event for at in (0, 2) for event in (first(1, at), block(1, 20, input=at))),
        failed,
    )  # fmt: skip
    compiled = [row for row in found if row.combination == 1]
    assert [bool(row.latency) for row in compiled] == [True, False, True]
    assert [row.failure for row in compiled] == ["", "It fails.", ""]
    assert compiled[1].detail == "here"
    assert compiled[1].inputs == "f32[1]"


def test_where_a_process_ends_the_inputs_behind_were_not_tried(tmp_path: Path) -> None:
    ends = (WorkerEnd(1, 0, "it timed out after 5 seconds of first calls; see --timeout"),)
    plan = dataclasses.replace(PLAN, ends=ends)
    firsts = [first(0, at) for at in range(4)]
    found = rows(tmp_path, "whole", *firsts, first(1, 0), first(1, 1), plan=plan)
    failures = [row.failure for row in found if row.combination == 1]
    assert failures == [ends[0].failure] * 3 + [BEHIND_ANOTHER]


@pytest.mark.parametrize(
    ("first_ns", "second_ns", "calls"),
    [
        (900, 100, 1),  # its first call is shorter than eager PyTorch's
        (1_880, 100, 9),  # 2 and 680 ns at 100 ns a call
        (1_880, 1_100, 19),  # the second call records CUDA graphs
        (1_880, 0, 9),  # no second call is known: as long as later ones
    ],
)
def test_the_second_call_has_to_be_paid_for_too(
    tmp_path: Path, first_ns: int, second_ns: int, calls: int
) -> None:
    rounds = [block(at, ns, round=n) for at, ns in ((0, 200), (1, 100)) for n in range(4)]
    firsts = (
        first(0, first_ns=1_000, second_ns=300),
        first(1, first_ns=first_ns, second_ns=second_ns),
    )
    _, compiled = rows(tmp_path, "whole", *firsts, *rounds)
    assert compiled.break_even_calls == calls


def test_what_is_of_another_kind_has_no_error(tmp_path: Path) -> None:
    other = {
        "reference": "eager", "name": "output of input 1", "relative": float("inf"),
        "mine": "None", "theirs": "float32[2]",
    }  # fmt: skip
    found = {
        "what": "errors", "combination": 1, "errors": [other], "wrong": ["output of input 1"],
        "uncompared": ["output of input 1.cache", "output of input 1 (called again).cache"],
    }  # fmt: skip
    report = report_of(tmp_path, block(0, 400), block(1, 200), found)
    (_, compiled) = report.rows
    assert compiled.is_wrong
    assert not compiled.worst
    assert error_text(compiled) == "WRONG"
    assert compiled.uncompared == ("output of input 1.cache",)
    said = "not compared: output.cache of input 1"
    assert said in report.notices


def test_what_has_fewest_sessions_counts(tmp_path: Path) -> None:
    one = report_of(tmp_path, block(0, 400), block(1, 200)).notices
    assert "intervals of 1 session are too narrow: pass --sessions 3" in one
    plan = dataclasses.replace(
        PLAN, sessions=3,
        combinations=(*PLAN.combinations, Combination(Workload(), Setting("aot_eager"))),
    )  # fmt: skip
    events = [block(n, 400, session=at) for n in (0, 1) for at in range(3)]
    several = report_of(tmp_path, *events, block(2, 400), plan=plan).notices
    assert "intervals of 1 session are too narrow: pass --sessions 3" in several


@pytest.mark.parametrize("device", ["cpu", "NVIDIA H200"])
def test_tf32_is_said_to_be_nothing_on_the_cpu_alone(tmp_path: Path, device: str) -> None:
    on = tuple(
        dataclasses.replace(each, workload=Workload(tf32=True)) for each in PLAN.combinations
    )
    begun = first(0, device=device)
    plan = dataclasses.replace(PLAN, combinations=on)
    notices = report_of(tmp_path, begun, block(0, 400), block(1, 200), plan=plan).notices
    assert any(notice.startswith("--tf32 has no effect") for notice in notices) is (device == "cpu")


@pytest.mark.parametrize(
    ("mode", "ptxas", "is_said"),
    [
        ("max-autotune", {"torch": "13.0.88", "triton": "12.8.93"}, True),
        ("reduce-overhead", {"torch": "13.0.88", "triton": "12.8.93"}, False),
        ("max-autotune-no-cudagraphs", "garbled", False),
    ],
)
def test_only_what_is_tuned_is_compiled_twice(mode: str, ptxas: object, *, is_said: bool) -> None:
    process = dataclasses.replace(runs.process_of(), hardware={"ptxas": ptxas})
    combination = Combination(Workload(), Setting("inductor", mode))
    report = make_bench_report(BenchPlan("m.py", (combination,), 1), runs.run_of(process), ())
    assert any("torch's ptxas (13.0.88)" in notice for notice in report.notices) is is_said


def test_what_is_not_of_all_models_is_told_with_theirs(tmp_path: Path) -> None:
    draws = first(1, draws=True)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = report_of(tmp_path / "a", block(0, 400), block(1, 200), draws)
    other = report_of(tmp_path / "b", block(0, 400), block(1, 200))
    one = dataclasses.replace(one, plan=dataclasses.replace(one.plan, target="a.py"))
    models = [measured_of(each.plan.target, each) for each in (one, other)]
    found = make_collection_report(models, 1).notices
    assert any(notice.startswith("a.py: calls draw random numbers") for notice in found)
    assert any(notice.startswith("intervals of 1 session") for notice in found)
