from __future__ import annotations

import dataclasses

import pytest

from inspector.features.verify.trial_wording import (
    trial_columns,
    trial_notes,
    trial_rows,
    trial_sentence,
    trial_title,
    trial_verdict,
)
from inspector.features.verify.trials import together, trial_of, with_verification
from inspector.report.finding import Example
from inspector.report.report import Report
from inspector.report.settings import DYNAMIC, MARK_DYNAMIC
from inspector.run.recompile import Answer, Origin, Recompile, RecompileClass
from inspector.run.verification import AdviceTrial, Candidate, Measured, Trial, Verification
from inspector.shared.edit import Edit, Rewrite
from inspector.trace.compile_id import CompileId
from tests.unit.render import runs
from tests.unit.render.verified import BASELINE, EQUAL, measured, verification, verified

RECOMPILE = Recompile(
    CompileId(0, 1), None, "", "", "", "L['x']", "x", 0, RecompileClass.SIZE, Origin.ARGUMENT,
    None, None, Answer.AGAIN,
)  # fmt: skip
TIMES = "\N{MULTIPLICATION SIGN}"
A, B, C = (Candidate(((name, True),)) for name in "abc")


def without(report: Report, *gone: int) -> Report:
    findings = [item for index, item in enumerate(report.findings) if index not in gone]
    fewer = dataclasses.replace(report.summary, graph_breaks=report.summary.graph_breaks - 1)
    return dataclasses.replace(report, findings=tuple(findings), summary=fewer)


def test_what_is_gone_is_removed() -> None:
    before = runs.report_of(runs.broken())
    trial = trial_of(A, without(before, 1), before, deterministic=True)

    assert trial.removed == (before.findings[1].fingerprint,)
    assert (trial.added, trial.helps) == (0, True)


def test_what_is_another_finding_at_the_same_place_is_not() -> None:
    before = runs.report_of(runs.broken())
    first = dataclasses.replace(before.findings[0], fingerprint="another")
    after = dataclasses.replace(before, findings=(first, *before.findings[1:]))
    trial = trial_of(A, after, before, deterministic=True)

    assert (trial.removed, trial.added, trial.helps) == ((), 1, False)


@pytest.mark.parametrize(
    ("now", "helps", "worsens"),
    [
        ({"graph_breaks": 2, "graphs": 9}, True, False),  # more is captured
        ({"graph_breaks": 2, "recompiles": 9}, False, True),
        ({"graph_breaks": 4, "recompiles": 0}, False, True),
        ({"recompiles": 0, "graphs": 9}, False, True),
        ({"recompiles": 0, "compilations": 9}, False, True),
        ({"compilations": 4}, True, False),
        ({}, False, False),  # what is gone has become something else
    ],
)
def test_the_whole_run_decides(now: dict[str, int], *, helps: bool, worsens: bool) -> None:
    was = measured(graph_breaks=3, graphs=4, recompiles=2, compilations=5)
    after = dataclasses.replace(was, **now)
    is_worse = after.is_worse_than(was)
    assert (not is_worse and after.is_fewer_than(was), is_worse) == (helps, worsens)


def test_advice_that_makes_the_run_worse_comes_last_with_the_reason() -> None:
    report = runs.report_of(runs.broken())
    dynamic = "Compile with torch.compile(…, dynamic=True)."
    finding = dataclasses.replace(report.findings[0], fix=dynamic, alternatives=("Pad it.",))
    was = measured(graph_breaks=0, graphs=3, recompiles=2, compilations=3)
    now = dataclasses.replace(was, graph_breaks=3, graphs=7, recompiles=0, compilations=8)
    worse = Trial(
        Candidate(((DYNAMIC, True),)), now, removed=(finding.fingerprint,), worsens=True
    )  # fmt: skip
    made = Verification("eager", was, (worse,), deterministic=True)
    (found, *_) = with_verification(dataclasses.replace(report, findings=(finding,)), made).findings

    assert (found.fix, found.alternatives) == ("Pad it.", (dynamic,))
    assert found.verified == ()
    assert found.notes[-1] == (
        "tried: dynamic=True makes the run worse: graph breaks 0 → 3, graphs 3 → 7, "
        "compilations 3 → 8"
    )


def test_a_fix_whose_change_did_not_help_comes_last() -> None:
    report = runs.report_of(runs.broken())
    trial = dataclasses.replace(rewriting("item", 3, warm_call_ns=9), helps=False)
    example = Example("item", "", "", "", "", ())
    first = dataclasses.replace(
        report.findings[0], fix="Keep it.", alternatives=("Move it.",), example=example,
        rewrites=trial.candidate.rewrites,
    )  # fmt: skip
    made = Verification("eager", BASELINE, (trial,), deterministic=True)
    (found, *_) = with_verification(dataclasses.replace(report, findings=(first,)), made).findings

    assert (found.fix, found.alternatives) == ("Move it.", ("Keep it.",))
    assert found.notes[-1] == "tried: the change at model.py:3 does not help"


def recompiling(dimension: int, times: int) -> Report:
    """One function that is compiled some times more for a dimension."""
    report = runs.report_of(runs.broken())
    again = dataclasses.replace(
        report.findings[0],
        rule="recompile",
        fingerprint=f"size of dimension {dimension}",
        recompiles=(RECOMPILE,) * times,
    )
    return dataclasses.replace(report, findings=(again,))


def test_a_recompilation_for_the_next_dimension_is_not_gone() -> None:
    trial = trial_of(A, recompiling(1, 1), recompiling(0, 1), deterministic=True)

    assert (trial.removed, trial.helps) == ((), False)


def test_one_that_is_compiled_fewer_times_is() -> None:
    trial = trial_of(A, recompiling(1, 1), recompiling(0, 2), deterministic=True)

    assert trial.removed == ("size of dimension 0",)
    assert trial.recompiles == {"size of dimension 0": (2, 1)}
    assert trial_sentence(AdviceTrial(A.settings, outputs_equal=True, recompiles=(2, 1))).endswith(
        "leaves 1 of 2 recompilations of the function (tried; outputs stay equal)"
    )


def helping(candidate: Candidate, *removed: str) -> Trial:
    return Trial(candidate, BASELINE, removed=removed, helps=True)


def together_of(trials: list[Trial], **settings: bool) -> Candidate | None:
    made = Verification("", BASELINE, tuple(trials), baseline_again=BASELINE)
    return together(made, **settings)


def test_together_is_all_that_helped() -> None:
    chosen = together_of([helping(A, "x"), Trial(B, BASELINE), helping(C)])
    assert chosen is not None
    assert chosen.settings == (("a", True), ("c", True))


def test_of_two_that_remove_the_same_the_first_is_taken() -> None:
    assert together_of([helping(A, "x", "y"), helping(B, "y")]) is None


def test_functions_of_the_same_setting_are_joined() -> None:
    one, other = (Candidate((("set", names),)) for names in (("a.b",), ("c.d",)))
    chosen = together_of([helping(one, "x"), helping(other, "y")])
    assert chosen is not None
    assert chosen.settings == (("set", ("a.b", "c.d")),)


def test_a_function_is_not_in_two_sets() -> None:
    move = Candidate((("move", ("a.b", "c.d")),))
    drop = Candidate((("drop", ("c.d", "e.f")),))
    chosen = together_of([helping(move, "x"), helping(drop, "x", "y")])
    assert chosen is not None
    assert chosen.settings == (("move", ("a.b",)), ("drop", ("c.d", "e.f")))

    all_of_it = Candidate((("drop", ("a.b", "c.d")),))
    assert together_of([helping(move, "x"), helping(all_of_it, "x", "y")]) is None


def rewriting(advice: str, line: int, *removed: str, warm_call_ns: int) -> Trial:
    """A change of a line that helps."""
    edit = Edit(line, 0, line, 5, "a = 1", f"a = {advice}", is_statement=True, file="/m/model.py")
    candidate = Candidate(rewrites=(Rewrite(advice, "model.py", line, (edit,)),))
    found = measured(warm_call_ns=warm_call_ns, least_warm_call_ns=warm_call_ns)
    return Trial(candidate, found, removed=removed, helps=True)


def test_of_two_changes_of_a_line_the_first_is_taken() -> None:
    first, second = (rewriting(name, 3, "x", warm_call_ns=900) for name in ("one", "two"))
    assert together_of([first, second]) is None

    item = rewriting("item", 7, "y", warm_call_ns=800)
    chosen = together_of([first, second, item, helping(A, "z")])
    assert chosen is not None
    assert chosen.settings == A.settings
    assert [rewrite.advice for rewrite in chosen.rewrites] == ["one", "item"]
    lines = together_of([first, second, item, helping(A, "z")], lines_only=True)
    assert lines is not None
    assert (lines.settings, lines.rewrites) == ((), chosen.rewrites)


def test_what_makes_calls_longer_is_not_taken() -> None:
    slow = rewriting("branch-where", 3, "x", warm_call_ns=9 * BASELINE.warm_call_ns)
    item, other = (
        rewriting(name, line, name, warm_call_ns=800) for name, line in (("a", 7), ("b", 9))
    )
    chosen = together_of([slow, item, other])
    assert chosen is not None
    assert [rewrite.advice for rewrite in chosen.rewrites] == ["a", "b"]


def test_what_cannot_be_changed_at_once_is_not() -> None:
    one, other = (rewriting(name, 3, name, warm_call_ns=300) for name in "ab")
    assert together_of([one, other]) is None


def test_a_finding_has_the_fastest_change_first() -> None:
    report = runs.report_of(runs.broken())
    gone = report.findings[0].fingerprint
    slow, fast = (
        rewriting(name, 3, gone, warm_call_ns=BASELINE.warm_call_ns * times // 2)
        for name, times in (("branch-where", 4), ("branch-cond", 1))
    )
    unknown = dataclasses.replace(slow, measured=measured(least_warm_call_ns=1))
    trials = unknown, slow, fast
    made = Verification("inductor", BASELINE, trials, deterministic=True, baseline_again=BASELINE)
    found = with_verification(report, made)

    removes = "removes it (tried; outputs stay equal"
    assert [trial_sentence(tried) for tried in found.findings[0].verified] == [
        f"model.py:3: `a = branch-cond` {removes}; warm call time 0.50{TIMES})",
        f"model.py:3: `a = branch-where` {removes}; warm call time 2.00{TIMES})",
        f"model.py:3: `a = branch-where` {removes})",
    ]
    assert trial_columns(made)[0] == "setting or line"
    assert [row[0] for row in trial_rows(made)[2:]] == [
        "model.py:3: a = branch-where",
        "model.py:3: a = branch-cond",
    ]
    assert any("the machine was busy" in note for note in trial_notes(made))


def test_what_differs_no_more_than_equal_processes_do_is_no_ratio() -> None:
    report = runs.report_of(runs.broken())
    gone = report.findings[0].fingerprint
    once = measured(warm_call_ns=100_000, least_warm_call_ns=100_000)
    again = measured(warm_call_ns=150_000, least_warm_call_ns=150_000)
    trials = [
        rewriting(name, 3, gone, warm_call_ns=ns) for name, ns in (("a", 220_000), ("b", 240_000))
    ]
    made = Verification("", once, tuple(trials), deterministic=True, baseline_again=again)

    assert [row[4] for row in trial_rows(made)] == ["", "\N{ALMOST EQUAL TO}", f"1.96{TIMES}"]
    assert "took 100 µs and 150 µs per warm call" in trial_notes(made)[0]
    found = with_verification(report, made).findings[0].verified
    assert [tried.warm_call_ratio for tried in found] == [1.0, pytest.approx(1.96, abs=0.01)]
    assert "no measurable difference per warm call)" in trial_sentence(found[0])


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (None, "no ratios: warm calls"),
        (measured(warm_call_ns=None), "no ratios: warm calls"),
        (measured(warm_call_ns=2_000_000, least_warm_call_ns=1_900_000), "no ratios: warm calls"),
        (measured(warm_call_ns=9_000_000), "the machine was busy"),
    ],
)
def test_without_two_times_that_agree_there_is_no_ratio(again: Measured | None, said: str) -> None:
    trial = rewriting("a", 3, "x", warm_call_ns=9_000)
    made = Verification("", BASELINE, (trial,), deterministic=True, baseline_again=again)
    assert trial_rows(made)[1][4] == ""
    assert any(said in note for note in trial_notes(made))


def test_a_tenth_may_be_chance_also_where_two_times_are_the_same() -> None:
    same = measured(warm_call_ns=100_000, least_warm_call_ns=100_000)
    made = Verification("", same, baseline_again=same)
    for time_ns, differs in ((100_500, False), (109_000, False), (112_000, True), (89_000, True)):
        found = measured(warm_call_ns=time_ns, least_warm_call_ns=time_ns)
        assert (made.ratio(found) != 1) is differs


def test_the_verdict_is_what_leaves_the_least() -> None:
    report = verified()
    assert report.verification is not None
    said = trial_verdict(report.verification)
    assert said.startswith("nested_graph_breaks=True + reorderable_logging_functions={print}: ")
    assert "graph breaks 3 \N{RIGHTWARDS ARROW} 0" in said
    assert said.endswith("outputs equal")

    trials = (
        Trial(A, measured(graph_breaks=0), helps=True),
        dataclasses.replace(
            rewriting("item", 7, "x", warm_call_ns=900), measured=measured(graph_breaks=0)
        ),
    )
    made = Verification("", BASELINE, trials, deterministic=True, baseline_again=BASELINE)
    assert trial_verdict(made) == (
        "model.py:7: a = item: graph breaks 3 \N{RIGHTWARDS ARROW} 0, outputs equal, "
        "warm call unchanged"
    )
    assert trial_verdict(Verification("", BASELINE, (Trial(A, BASELINE),))) == ("no trial helped")
    (finding,) = runs.report_of(runs.broken()).findings[:1]
    left = dataclasses.replace(finding, rewrites=(), example=Example("a", "b", "c", "d", "e", ()))
    assert trial_verdict(Verification("", BASELINE, (Trial(A, BASELINE),)), [left]) == (
        f"no trial helped; no automatic edit for {left.place.file}:{left.place.line}: apply the "
        "fix manually"
    )
    assert trial_verdict(Verification(not_tried="it failed")) == ""


def test_what_gives_something_else_comes_last() -> None:
    report = runs.report_of(runs.broken())
    gone = report.findings[0].fingerprint
    right, wrong = (rewriting(name, 3, gone, warm_call_ns=ns) for name, ns in (("a", 9), ("b", 1)))
    differing = dataclasses.replace(EQUAL, differing=1)
    assert wrong.measured is not None
    wrong = dataclasses.replace(
        wrong, measured=dataclasses.replace(wrong.measured, outputs=differing), helps=False
    )
    made = Verification("", BASELINE, (wrong, right), deterministic=True, baseline_again=BASELINE)
    found = with_verification(report, made).findings[0].verified
    assert [tried.outputs_equal for tried in found] == [True, False]


def test_a_finding_says_which_settings_remove_it() -> None:
    report = verified()
    removes = "removes it (tried; outputs stay equal)"
    assert [trial_sentence(tried) for tried in report.findings[0].verified] == [
        f"reorderable_logging_functions={{print}} {removes}",
        f"model.py:15: `x = torch.where(x.sum() > 0, x * 2, x)` {removes}",
    ]
    assert report.findings[1].verified == ()


def test_outputs_that_vary_say_nothing() -> None:
    report = runs.report_of(runs.broken())
    made = verification(report.findings[0].fingerprint)
    vary = with_verification(report, dataclasses.replace(made, deterministic=False))
    assert vary.verification is not None

    assert vary.findings[0].verified[0].outputs_equal is None
    assert {row[-1] for row in trial_rows(vary.verification)[1:] if row[1]} == {"vary"}
    assert any("differ between runs" in note for note in trial_notes(vary.verification))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Verification(not_tried="no setting helps"), "nothing was tried: no setting helps"),
        (Verification("", BASELINE), "trials, each in a fresh process (the file's own backend)"),
    ],
)
def test_the_title_says_what_the_table_is(made: Verification, said: str) -> None:
    assert trial_title(made) == said


def test_a_fix_that_failed_when_it_was_tried_says_so() -> None:
    report = runs.report_of(runs.broken())
    marked, other = (
        dataclasses.replace(report.findings[0], fix=fix)
        for fix in ("torch._dynamo.mark_dynamic(x, 0)", "hoist it")
    )
    failed = Trial(Candidate(((MARK_DYNAMIC, ("x:0",)),)), None, "ConstraintViolationError")
    tried = dataclasses.replace(verification(""), trials=(failed,))
    found = with_verification(dataclasses.replace(report, findings=(marked, other)), tried)

    assert "fails (ConstraintViolationError)" in found.findings[0].notes[-1]
    assert found.findings[1].notes == other.notes
