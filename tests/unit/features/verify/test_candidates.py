from __future__ import annotations

import dataclasses

import pytest

from inspector.features.verify.candidates import KINDS, candidates
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak
from inspector.run.run import Run
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render import runs

SCALAR = Cause(
    "Unsupported Tensor.item() call with capture_scalar_outputs=False",
    "Unsupported Tensor.item() call with capture_scalar_outputs=False",
    hints=("Set `torch._dynamo.config.capture_scalar_outputs = True`.",),
    gb_id="GB0124",
)
PRINT = Cause("Failed", "Failed", context="builtin print [<class 'x'>] False", gb_id="GB0059")
WARN = Cause("Skipped", "Skipped", context="module: _warnings, qualname: warn, x", gb_id="GB0007")
LOGGER = Cause(
    "logging", "logging", context="method: <Logger a.b (WARNING)>.info, args: []", gb_id="GB0291"
)
IN_LOGGING = (
    StackFrame("/home/user/project/model.py", 3, "forward"),
    StackFrame("/usr/lib/python3.11/logging/__init__.py", 2, "warning"),
)


def run_with(*records: GraphBreak) -> Run:
    compiled = runs.compilation(0, *records)
    return runs.run_of(runs.process_of(Frame(0, "forward", runs.MODEL, 13, (compiled,))))


def found(*causes: Cause) -> list[tuple[str, object, tuple[str, ...]]]:
    run = run_with(*(runs.break_at(runs.IN_FORWARD, cause) for cause in causes))
    return [
        (*candidate.settings[0], candidate.gb_ids)  # type: ignore[misc]
        for candidate in candidates(run)
    ]


def test_a_switch_that_a_hint_names() -> None:
    assert found(SCALAR, SCALAR) == [("capture_scalar_outputs", True, ("GB0124",))]


def test_a_setting_that_no_switch_is_for_is_left_alone() -> None:
    other = dataclasses.replace(SCALAR, title="", hints=("torch._dynamo.config.verbose = True",))
    assert found(other) == []


def test_functions_that_say_something() -> None:
    assert found(PRINT, WARN, LOGGER) == [
        (
            "reorderable_logging_functions",
            ("builtins.print", "warnings.warn"),
            ("GB0059", "GB0007"),
        ),
        (
            "ignore_logging_functions",
            ("builtins.print", "warnings.warn", "logging.Logger.info"),
            ("GB0059", "GB0007", "GB0291"),
        ),
    ]


def test_a_break_inside_of_logging_is_its_function() -> None:
    cause = Cause("Unsupported", "Unsupported", gb_id="GB4841")
    run = run_with(runs.break_at(runs.IN_FORWARD, cause, stack=IN_LOGGING))
    assert [candidate.settings[0][1] for candidate in candidates(run)] == [("logging.warning",)] * 2


def test_other_builtins_say_nothing() -> None:
    other = dataclasses.replace(PRINT, context="builtin printer [] False")
    assert found(other, dataclasses.replace(PRINT, context="builtin id [] False")) == []


def test_a_break_in_a_function_that_is_called() -> None:
    run = run_with(runs.break_at(runs.IN_HELPER, Cause(None, "x", gb_id="GB0001")))
    (candidate,) = candidates(run)
    assert (candidate.settings, candidate.gb_ids) == ((("nested_graph_breaks", True),), ("GB0001",))


def test_a_break_behind_another_one_is_in_no_called_function() -> None:
    name = "torch_dynamo_resume_in_forward_at_14"
    run = run_with(runs.break_at(runs.AT_BRANCH, Cause(None, "x"), frame_name=name))
    assert candidates(run) == ()


def test_the_reason_of_a_recompilation() -> None:
    hint = "0/0: f == 3 # (HINT: … torch._dynamo.config.allow_unspec_int_on_nn_module = True)"
    again = runs.compilation(0, recompile_reasons=(hint,))
    run = runs.run_of(runs.process_of(Frame(0, "forward", runs.MODEL, 13, (again,))))
    assert [item.settings[0][0] for item in candidates(run)] == ["allow_unspec_int_on_nn_module"]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_break_there_is_nothing_to_try(kind: object) -> None:
    assert callable(kind)
    assert list(kind(runs.unbroken())) == []
