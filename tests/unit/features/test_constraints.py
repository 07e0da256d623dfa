"""``ConstraintViolationError`` as a finding, out of hand-made traces."""

from __future__ import annotations

from pathlib import Path

from inspector.features.breaks.rules import compile_error, constraint_violation
from inspector.report.report import make_report
from inspector.report.severity import Severity
from tests.unit.logs import FILE, metrics, record, run_of, start

RULES = [compile_error.RULE, constraint_violation.RULE]
CONSTANT = (
    "Constraints violated (L['x'].size()[0])! For more information, run with "
    'TORCH_LOGS="+dynamic".\n'
    "  - You marked L['x'].size()[0] as dynamic but your code specialized it to be a constant (4). "
    "If you're using mark_dynamic, either remove it or use maybe_mark_dynamic.\n"
)
RANGE = (
    "Constraints violated (L['x'].size()[0])!\n"
    "  - Not all values of L['x'].size()[0] = L['x'].size()[0] in the specified range "
    "L['x'].size()[0] <= 10 satisfy the generated guard 4 <= L['x'].size()[0]\n"
)


def violated(reason: str) -> bytes:
    return metrics(has_guarded_code=False, fail_type="ConstraintViolationError", fail_reason=reason)


def symbol() -> tuple[bytes, bytes]:
    stack = [{"line": 3, "name": "f", "filename": FILE, "loc": "return x * ones(4)"}]
    created = {"symbol": "s77", "val": "4", "source": "L['x'].size()[0]", "user_stack": stack}
    special = {"symbol": "s77", "sources": ["L['x'].size()[0]"], "value": "4", "user_stack": stack}
    return (
        record("create_symbol", created, "0/0"),
        record("symbolic_shape_specialization", special, "0/0"),
    )


def test_it_names_the_line_that_specializes(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), *symbol(), violated(CONSTANT))
    (found,) = make_report(run, RULES).findings

    assert (found.rule, found.severity) == ("constraint-violation", Severity.ERROR)
    assert found.message == "x.size(0) is marked as dynamic but specialized on 4"
    assert found.place.line == 3
    assert "specialized at " in found.why
    assert "x.shape[0] instead of 4" in found.fix


def test_a_range_says_which_sizes_work(tmp_path: Path) -> None:
    (found,) = make_report(run_of(tmp_path, start(), violated(RANGE)), RULES).findings

    assert "works for some sizes only" in found.message
    assert "within 4 <= x.size(0)" in found.fix


def test_an_unknown_text_is_shown_as_it_is(tmp_path: Path) -> None:
    (found,) = make_report(run_of(tmp_path, start(), violated("something new")), RULES).findings

    assert "something new" in found.message
