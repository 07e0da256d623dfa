"""What the rules say about hand-made traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.features.breaks.rules import compile_error, graph_break, skipped_frame
from inspector.features.overview.cost_wording import finding_cost_lines
from inspector.features.recompiles.rules import recompile
from inspector.report.finding import Finding
from inspector.report.report import make_report
from inspector.report.severity import Severity
from tests.unit.logs import BREAK, FILE, broken, graph, metrics, record, run_of, start

RULES = [compile_error.RULE, graph_break.RULE, recompile.RULE, skipped_frame.RULE]
MESSAGE = "Failed to trace builtin operator\n  Explanation: no\n\n  Developer debug context: x"


def findings(tmp_path: Path, *records: bytes) -> tuple[Finding, ...]:
    return make_report(run_of(tmp_path, *records), RULES).findings


def ours(artifact: str, /, **payload: Any) -> bytes:
    return record(
        "artifact", {"name": f"inspector_{artifact}"}, "0/0", json.dumps({"v": 1, **payload})
    )


def call(number: int, state: str = "begin") -> bytes:
    return ours("call", input=0, call=number, state=state)


def target(line: int, kind: str = "function") -> bytes:
    return ours("target", name="model.py", file=FILE, line=line, qualname="f", kind=kind)


def reasons(compile_id: str, text: str) -> bytes:
    return record("artifact", {"name": "recompile_reasons"}, compile_id, text)


def limit(compile_id: str, **fields: Any) -> bytes:
    said = {
        "co_name": None,
        "has_guarded_code": None,
        "graph_op_count": None,
        "fail_type": "Unsupported",
        "fail_reason": "Dynamo recompile limit exceeded\n  Explanation: x",
    }
    return metrics(compile_id, **{**said, **fields})


def test_a_break_before_the_first_operator_says_so(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, start(), broken(), metrics(graph_op_count=0))

    assert "no operator precedes it" in found.notes[0]


def test_another_cause_on_the_same_line_is_shown(tmp_path: Path) -> None:
    other = BREAK.replace("Explanation: no", "Explanation: something else")
    again = record("artifact", {"name": "dynamo_graph_break_reason"}, "1/0", other)
    (found,) = findings(tmp_path, start(), broken(), metrics(), start("1/0"), again, metrics("1/0"))

    assert found.records == 2
    assert any("something else" in note for note in found.notes)


def test_sites_that_only_later_calls_reach_are_told_apart(tmp_path: Path) -> None:
    records = (call(0), start(), metrics(), call(0, "end"), call(1), start("1/0"), broken("1/0"))
    (found,) = findings(tmp_path, *records, metrics("1/0"))

    assert found.later


def test_fullgraph_makes_a_break_an_error_that_is_not_counted(tmp_path: Path) -> None:
    raised = metrics(has_guarded_code=False, fail_type="Unsupported", fail_reason=MESSAGE)
    report = make_report(run_of(tmp_path, start(), raised), RULES)
    (found,) = report.findings

    assert (found.rule, found.severity, found.outcome) == ("graph-break", Severity.ERROR, "raised")
    assert (report.summary.graph_breaks, report.summary.graph_breaks_raised) == (0, 1)


def test_an_error_whose_line_is_known_has_our_advice(tmp_path: Path) -> None:
    failed = metrics(
        has_guarded_code=False,
        fail_type="TorchRuntimeError",
        fail_reason="RuntimeError when making fake tensor call\n  Explanation: no\n  Hint: double "
        "check\n\n  Developer debug context: x\n\n For more details about this graph break, please "
        "visit: https://example.org/gb/gb4315.html\n",
    )
    where = f'from user code:\n   File "{FILE}", line 3, in f\n    n = round(np.log2(x.shape[0]))\n'
    error = record("artifact", {"name": "dynamo_error"}, "0/0", where)
    (found,) = findings(tmp_path, start(), graph(), error, failed)

    assert (found.rule, found.place.line, found.gb_id) == ("compile-error", 3, "GB4315")
    assert found.fix.startswith("Use Python, not NumPy: ")
    assert found.example is not None
    assert found.example.id == "numpy-number"


@pytest.mark.parametrize(
    ("fields", "then"),
    [
        ({}, "runs eagerly"),
        # With fullgraph=True nothing may run eagerly.
        ({"fail_type": "FailOnRecompileLimitHit", "fail_reason": "Hard failure"}, "fails"),
    ],
)
def test_the_limit_alone_is_no_recompile(tmp_path: Path, fields: dict[str, Any], then: str) -> None:
    records = (start(), graph(), metrics(), reasons("0/1", "0/0: n == 1"), limit("0/1", **fields))
    report = make_report(run_of(tmp_path, *records), RULES)
    (found,) = report.findings

    said = f"f hits the recompile limit and {then} because the int value n changes"
    assert found.message == said
    assert (found.severity, found.later) == (Severity.ERROR, False)
    assert "n == 1" in found.why
    assert (report.summary.recompiles, report.summary.recompile_limit_hits) == (0, 1)


def test_what_fails_in_every_call_is_spent_in_every_call(tmp_path: Path) -> None:
    failed = {"fail_type": "Unsupported", "fail_reason": MESSAGE, "has_guarded_code": False,
              "fail_user_frame_filename": FILE, "fail_user_frame_lineno": 3, "start_time": 1.0,
              "entire_frame_compile_time_s": 0.002}  # fmt: skip
    log = [
        line
        for number in ("0/0", "0/1", "0/2")
        for line in (start(number), metrics(number, **failed))
    ]
    _, again = findings(tmp_path, *log)

    assert again.message.endswith(
        "fails to compile in 2 more calls: all earlier compilations failed, so nothing is cached"
    )
    assert again.why.split("\n") == [
        "0/1: no cache entry; the compilation failed",
        "0/2: no cache entry; the compilation failed",
    ]
    assert again.fix.startswith(f"Fix the graph break at {FILE}:3 (Failed to trace")
    (cost,) = finding_cost_lines(again)
    assert "once" not in cost
    assert "repeated in every such call" in cost
    assert again.severity is Severity.ERROR


def test_what_is_kept_behind_failures_says_that_nothing_was_there(tmp_path: Path) -> None:
    failed = {"fail_type": "Unsupported", "fail_reason": MESSAGE, "has_guarded_code": False}
    log = (start(), metrics("0/0", **failed), start("0/1"), graph("0/1"), metrics("0/1"))
    found = [item for item in findings(tmp_path, *log) if item.rule == "recompile"]

    assert [item.message for item in found] == [
        "f recompiled once because all earlier compilations failed, so nothing is cached"
    ]
    assert found[0].severity is Severity.WARNING


def test_addresses_are_not_shown(tmp_path: Path) -> None:
    (found,) = findings(
        tmp_path,
        *(start(), graph(), metrics()),
        reasons("0/1", "0/0: ___check_type_id(n, 139718186848768)"),
        *(start("0/1"), graph("0/1"), metrics("0/1")),
    )

    assert "139718186848768" not in found.why


def test_a_target_without_operators_is_a_skipped_frame(tmp_path: Path) -> None:
    records = (target(1), call(0), start(), metrics(graph_op_count=None), call(0, "end"))
    (found,) = findings(tmp_path, *records)

    assert (found.rule, found.place.line) == ("skipped-frame", 1)


def test_a_helper_without_operators_is_none(tmp_path: Path) -> None:
    helper = (
        start("1/0", "g", 9),
        metrics("1/0", co_name="g", co_firstlineno=9, graph_op_count=None),
    )
    records = (target(1), call(0), start(), graph(), metrics(), *helper, call(0, "end"))

    assert findings(tmp_path, *records) == ()


def skip(name: str, reason: str, *, entry: bool, cause: str = "") -> bytes:
    fields = {"file": FILE, "line": 20, "name": name, "reason": reason, "cause": cause}
    return ours("skipped_frame", **fields, entry=entry, stack=[])


def test_helpers_without_tensors_are_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, skip("g", "no tensor-related objects", entry=False)) == ()


def test_a_target_that_dynamo_never_saw_is_found(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, target(1), call(0), call(0, "end"))

    assert "never traced it" in found.message


def test_what_stands_behind_a_break_may_be_left_alone(tmp_path: Path) -> None:
    """Dynamo looks at no function without a tensor among its variables."""
    skipped = {
        "v": 1, "file": FILE, "line": 3, "name": "torch_dynamo_resume_in_f_at_3", "cause": "",
        "reason": "no tensor-related objects found in frame", "entry": False, "stack": [],
    }  # fmt: skip
    artifact = record("artifact", {"name": "inspector_skipped_frame"}, payload=json.dumps(skipped))
    broken_once = (start(), broken(), graph(), metrics())

    def note(*records: bytes) -> str:
        (finding,) = graph_break.RULE.check(run_of(tmp_path, *records))
        return finding.notes[0]

    assert note(*broken_once) == "the graph ends here; tracing resumes after it (f)"
    assert note(*broken_once, artifact) == (
        "the graph ends here; the code after it runs eagerly: "
        "no tensor-related objects found in frame (f)"
    )
    resumed = (
        start("1/0", "torch_dynamo_resume_in_f_at_3"), graph("1/0"),
        metrics("1/0", co_name="torch_dynamo_resume_in_f_at_3"),
    )  # fmt: skip
    assert note(*broken_once, artifact, *resumed) == note(*broken_once)
