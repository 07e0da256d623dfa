"""What is advised on a recorded graph break."""

from __future__ import annotations

import dataclasses

from inspector.features.breaks.advice.lookup import Advised, advise, compiled_functions
from inspector.report.place import make_place
from inspector.run.graph_break import Outcome
from inspector.run.run import Run
from inspector.run.source import Sources
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render.runs import (
    AT_BRANCH,
    BRANCH,
    IN_HELPER,
    MODEL,
    PRINT,
    SITE,
    break_at,
    run_of,
)

MASK = Cause("Dynamic shape operator", "x", context="aten.index.Tensor", gb_id="GB0036")
TORCHS = StackFrame(f"{SITE}/torch/nn/modules/module.py", 10, "f", "print(1)")


def advised(frame: StackFrame | None, cause: Cause, run: Run | None = None) -> Advised:
    run = run or run_of()
    record = dataclasses.replace(break_at(AT_BRANCH, cause), user=frame)
    return advise(run, record, make_place(run, frame), compiled_functions(run))


def example(found: Advised) -> str:
    return found.example.id if found.example else ""


def test_the_users_code_is_in_the_fix() -> None:
    found = advised(AT_BRANCH, BRANCH)

    assert "`x = torch.where(x.sum() > 0, x * 2, x)`" in found.fix
    assert example(found) == "branch-where"
    assert "torch.cond(" in found.alternatives[0]


LOOP = StackFrame(f"{SITE}/transformers/generation/utils.py", 383, "_sample", "self(ids)")


def in_loop(compiled: StackFrame) -> Advised:
    """A break below the loop over tokens, in what is compiled from one of the two on."""
    record = break_at(AT_BRANCH, BRANCH, frame_file=compiled.file, frame_name=compiled.name)
    record = dataclasses.replace(record, stack=(LOOP, AT_BRANCH))
    return advise(run_of(), record, make_place(run_of(), AT_BRANCH), compiled_functions(run_of()))


def test_the_loop_of_transformers_is_left_uncompiled_whatever_breaks_in_it() -> None:
    alone, found = advised(AT_BRANCH, BRANCH), in_loop(LOOP)

    assert "`model.forward = torch.compile(model.forward)`" in found.fix
    assert found.alternatives == (alone.fix, *alone.alternatives)


def test_a_loop_that_calls_what_is_compiled_changes_nothing() -> None:
    assert in_loop(AT_BRANCH) == advised(AT_BRANCH, BRANCH)


def test_hints_that_say_the_same_are_left_out() -> None:
    hints = [text for text in advised(AT_BRANCH, BRANCH).alternatives if text in BRANCH.hints]

    assert hints == []


def test_hints_that_say_more_are_kept() -> None:
    cause = dataclasses.replace(BRANCH, hints=("Something new.",))

    assert advised(AT_BRANCH, cause).alternatives[-1] == "Something new."


def test_without_the_file_the_line_is_enough() -> None:
    run = dataclasses.replace(run_of(), sources=Sources({MODEL: {10: "    y[m] = x[m]"}}))
    frame = dataclasses.replace(IN_HELPER, column=11, end_column=15)

    assert "`y.copy_(torch.where(m, x, y))`" in advised(frame, MASK, run).fix


def test_without_any_source_the_line_of_the_stack_is_read() -> None:
    run = dataclasses.replace(run_of(), sources=Sources())
    frame = StackFrame(MODEL, 10, "helper", "y[m] = x[m]", column=7, end_column=11)

    assert "`y.copy_(torch.where(m, x, y))`" in advised(frame, MASK, run).fix


def test_a_line_alone_does_not_say_how_often_it_runs() -> None:
    run = dataclasses.replace(run_of(), sources=Sources())
    frame = StackFrame(MODEL, 10, "helper", 'print("a", x.shape)', column=0, end_column=5)

    assert advised(frame, PRINT, run).fix.startswith("Return what is printed")


def test_without_a_place_the_general_fix_is_given() -> None:
    found = advised(None, PRINT)

    assert found.fix.startswith("Return what is printed")
    assert example(found) == "print"


def test_other_causes_have_torchs_hints() -> None:
    cause = Cause("Other", "Other", hints=("First.", "Second."), gb_id="GB9999")

    assert advised(AT_BRANCH, cause) == Advised("First.", ("Second.",))


def test_a_line_of_torch_is_not_to_be_changed() -> None:
    found = advised(TORCHS, PRINT)

    assert found.fix.startswith("This line is inside torch")
    assert example(found) == ""


ITEM = Cause(
    "Unsupported Tensor.item() call with capture_scalar_outputs=False",
    "x",
    gb_id="GB0124",
    hints=("Set `torch._dynamo.config.capture_scalar_outputs = True`",),
)


def in_library(code: str) -> Advised:
    """A number in a line of a package, which a line of the project calls."""
    file = f"{SITE}/acme/ops.py"
    lines = {1: "def f(x):", 2: "    h = x.relu()", 3: "    return acme.scale(h) + 1"}
    library = {1: "def scale(x):", 2: f"    {code}", 3: "        x = x * 2", 4: "    return x"}
    sources = Sources({MODEL: lines, file: library}, frozenset({MODEL, file}), {})
    run = dataclasses.replace(run_of(), sources=sources)
    own = dataclasses.replace(AT_BRANCH, line=3, end_line=3, column=11, end_column=24, name="f")
    inner = StackFrame(file, 2, "scale", code)
    record = break_at(AT_BRANCH, ITEM, frame_file=MODEL, frame_name="f")
    record = dataclasses.replace(record, user=inner, project=own, stack=(own, inner))
    return advise(run, record, make_place(run, inner), frozenset())


def test_of_a_library_the_project_changes_a_setting_or_its_own_call() -> None:
    """Both were tried (tests/compile/test_lines_of_others.py)."""
    found = in_library("s = x.norm().item()")

    assert found.fix.startswith("Use `with torch._dynamo.config.patch(capture_scalar_outputs=True)")
    own, upgrade = found.alternatives
    assert own.startswith("At model.py:3: the call needs `h` from inside the function. End")
    assert upgrade == (
        "This line is part of acme. Upgrade acme, or report the graph break to its developers."
    )


def test_a_setting_that_would_move_the_break_is_left_out() -> None:
    found = in_library("if x.norm().item() > 1:")

    assert found.fix.startswith("At model.py:3: the call needs `h` from inside the function. End")


def test_some_advice_holds_for_a_line_of_torch() -> None:
    said = "Dynamo does not support RNN, GRU, or LSTM."
    cause = Cause("Attempted to wrap RNN, GRU, or LSTM", "x", said, gb_id="GB0014")

    assert example(advised(TORCHS, cause)) == "recurrent-layer"


def test_a_setting_that_torch_hints_at_holds_where_there_is_no_advice() -> None:
    hint = "Enable compiled autograd by setting torch._dynamo.config.compiled_autograd = True."
    cause = Cause("Module-level backwards hooks", "x", gb_id="GB0083", hints=(hint,))

    assert advised(TORCHS, cause).fix == hint


_ON_OR = "Note: Python `or`/`and` between tensor expressions triggers implicit bool conversion."


def _at(line: str) -> Advised:
    run = dataclasses.replace(run_of(), sources=Sources({MODEL: {10: line}}))
    frame = dataclasses.replace(AT_BRANCH, line=10, end_line=10, column=None, end_column=None)
    return advised(frame, dataclasses.replace(BRANCH, hints=(_ON_OR,)), run)


def test_the_hint_on_or_is_for_lines_that_have_one() -> None:
    assert _ON_OR in _at("    if x.any() or y.any():").alternatives
    assert _ON_OR not in _at("    if x.any():").alternatives


SUPPOSED = "Your code may result in an error when running in eager. Please double check."


def test_code_that_ran_is_not_said_to_be_wrong() -> None:
    cause = Cause("Unsupported next() call", "x", gb_id="GB0160", hints=(SUPPOSED,))
    record = dataclasses.replace(break_at(AT_BRANCH, cause), user=AT_BRANCH)
    raised = dataclasses.replace(record, outcome=Outcome.RAISED)
    place = make_place(run_of(), AT_BRANCH)

    assert advise(run_of(), record, place, frozenset()) == Advised("", ())
    assert advise(run_of(), raised, place, frozenset()).fix == SUPPOSED


GRAPH_BREAK = Cause(
    "Call to `torch._dynamo.graph_break()`",
    "User-inserted graph break. Message: None",
    gb_id="GB0025",
    hints=("Remove the `torch._dynamo.graph_break()` call.",),
)


def test_a_break_that_torchs_optimiser_asks_for_is_nobodys_to_remove() -> None:
    inner = StackFrame(f"{SITE}/torch/optim/optimizer.py", 79, "_use_grad", "graph_break()")
    record = dataclasses.replace(break_at(AT_BRANCH, GRAPH_BREAK), stack=(AT_BRANCH, inner))
    place = make_place(run_of(), AT_BRANCH)
    found = advise(run_of(), record, place, frozenset())

    assert example(found) == "training-step"
    assert found.alternatives == ()
    assert advised(AT_BRANCH, GRAPH_BREAK).fix == GRAPH_BREAK.hints[0]


GROUPS = Cause(
    "Unsupported arguments for itertools.groupby",
    "x",
    gb_id="GB0134",
    hints=("Make sure the arguments to itertools.groupby are correct.",),
)


def within(module: str) -> Advised:
    """A break within a module of the standard library, which the user's line calls."""
    lines = {1: "def f(x):", 2: "    log.mean([1.0, 2.0])", 3: "    return x"}
    run = dataclasses.replace(run_of(), sources=Sources({MODEL: lines}, frozenset({MODEL}), {}))
    frame = dataclasses.replace(AT_BRANCH, line=2, end_line=2, column=None, end_column=None)
    inner = StackFrame(f"/usr/lib/python3.11/{module}.py", 9, "mean", "groupby(data)")
    record = dataclasses.replace(break_at(AT_BRANCH, GROUPS), user=frame, stack=(frame, inner))
    return advise(run, record, make_place(run, frame), frozenset())


def test_what_breaks_within_the_standard_library_leaves_with_its_call() -> None:
    assert within("statistics") == Advised(
        "Move `log.mean([1.0, 2.0])` to the caller, outside the compiled function.", ()
    )


def test_what_the_standard_library_calls_may_be_the_program_s_own() -> None:
    assert within("contextlib").fix == GROUPS.hints[0]


def within_torch(hints: tuple[str, ...]) -> Advised:
    """A break within torch, in what the user's line calls."""
    lines = {1: "def f(x):", 2: "    if x:", 3: "        log.load(state)"}
    run = dataclasses.replace(run_of(), sources=Sources({MODEL: lines}, frozenset({MODEL}), {}))
    frame = dataclasses.replace(AT_BRANCH, line=3, end_line=3, column=None, end_column=None)
    cause = dataclasses.replace(GROUPS, gb_type="Something new", gb_id="GB9999", hints=hints)
    record = dataclasses.replace(break_at(AT_BRANCH, cause), user=frame, stack=(frame, TORCHS))
    return advise(run, record, make_place(run, frame), frozenset())


BYTECODE = "Do not trace code that produces the `DELETE_DEREF` bytecode instruction (see)."


def test_bytecode_of_a_library_is_none_of_the_users() -> None:
    for hints in ((BYTECODE,), (), ("Please report an issue to PyTorch.",)):
        assert within_torch(hints) == Advised(
            "Move `log.load(state)` to the caller, outside the compiled function, and call it "
            "there the same number of times and under the same conditions.",
            (),
        )


def test_what_torch_says_of_its_own_code_is_kept() -> None:
    assert within_torch(("Use another one.",)).fix == "Use another one."
