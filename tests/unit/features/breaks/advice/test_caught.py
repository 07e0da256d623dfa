"""Whether the compiled code itself catches what a branch raises."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.lookup import advise, tried_functions
from inspector.features.breaks.advice.table import best
from inspector.report.place import make_place
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text
from inspector.run.compilation import Frame
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render.runs import MODEL, break_at, compilation, process_of, run_of

_ON_TENSOR = "attempted to jump with TensorVariable()"


def code(body: str) -> Code:
    text = "def forward(x):\n    y = x * 2\n" + textwrap.indent(textwrap.dedent(body), "    ")
    line = text[: text.index("if ")].count("\n") + 1
    return read_text(text, Span(line, line))


def chosen(body: str) -> str:
    advice = best(Break("GB0170", None, _ON_TENSOR, code(body)))
    return advice.id if advice else ""


def tried(handler: str, error: str = "ValueError('negative')", then: str = "y = -y") -> str:
    return f"try:\n    if x.sum() < 0:\n        raise {error}\n{handler}:\n    {then}\nreturn y\n"


@pytest.mark.parametrize(
    "body",
    [
        tried("except ValueError"),
        tried("except Exception as error"),
        tried("except (KeyError, ValueError)"),
        tried("except"),
        tried("except errors.Negative", "errors.Negative"),
        tried("except ValueError", then="pass"),
        "with contextlib.suppress(ValueError):\n    if x.sum() < 0:\n        raise ValueError\n",
    ],
)
def test_what_is_caught_changes_what_follows(body: str) -> None:
    assert chosen(body) == "branch-raise-caught"


@pytest.mark.parametrize(
    "body",
    [
        tried("except KeyError"),
        tried("except ValueError", then="raise RuntimeError"),
        "if x.sum() < 0:\n    raise ValueError\n",
        "try:\n    y = y + 1\nexcept ValueError:\n    if x.sum() < 0:\n        raise ValueError\n",
    ],
)
def test_what_is_not_caught_leaves_the_function(body: str) -> None:
    assert chosen(body) == "branch-raise"


HELPER = "if x.sum() < 0:\n    raise ValueError('negative')\nreturn y\n"


def called(*bodies: str) -> Code:
    """The branch of a helper that is called at ``helper(x)``, innermost caller first."""
    callers = []
    for body in bodies:
        text = "def caller(x):\n" + textwrap.indent(body, "    ")
        line = text[: text.index("helper(")].count("\n") + 1
        callers.append(read_text(text, Span(line, line)))
    return dataclasses.replace(code(HELPER), callers=tuple(callers))


CAUGHT = "try:\n    y = helper(x)\nexcept ValueError:\n    y = x\nreturn y\n"
SUPPRESSED = "with contextlib.suppress(ValueError):\n    y = helper(x)\n"
PASSED = "y = helper(x)\nreturn y\n"


@pytest.mark.parametrize("callers", [(CAUGHT,), (SUPPRESSED,), (PASSED, CAUGHT)])
def test_what_a_caller_catches_changes_what_follows(callers: tuple[str, ...]) -> None:
    found = called(*callers)
    advice = best(Break("GB0170", None, _ON_TENSOR, found))

    assert advice is not None
    assert advice.id == "branch-raise-caught"
    assert "where `forward` is called, in line" in advice.fix_for(found)
    assert "of `caller`, so it is a branch" in advice.fix_for(found)


@pytest.mark.parametrize(
    "caller",
    [
        PASSED,
        CAUGHT.replace("ValueError", "KeyError"),
        SUPPRESSED.replace("ValueError", "KeyError"),
        CAUGHT.replace("y = x\n", "raise RuntimeError\n"),
        "try:\n    y = x\nexcept ValueError:\n    y = helper(x)\nreturn y\n",
    ],
)
def test_what_no_caller_catches_leaves_them(caller: str) -> None:
    advice = best(Break("GB0170", None, _ON_TENSOR, called(caller)))

    assert advice is not None
    assert advice.id == "branch-raise"


PROGRAM = """\
def check(x):
    if x.sum() < 0:
        raise ValueError("negative")
    return x


def forward(x):
    try:
        return check(x)
    except ValueError:
        return -x
"""
CALL = StackFrame(MODEL, 9, "forward", "return check(x)")
BRANCHES = StackFrame(MODEL, 2, "check", "if x.sum() < 0:")


@pytest.mark.parametrize(
    ("compiled", "is_caught"),
    [(("forward",), True), (("check",), False), (("check", "forward"), True)],
)
def test_only_a_caller_that_is_compiled_counts(
    compiled: tuple[str, ...],
    is_caught: bool,  # noqa: FBT001
) -> None:
    cause = Cause("Data-dependent branching", "x", context=_ON_TENSOR, gb_id="GB0170")
    record = break_at(
        BRANCHES, cause, stack=(CALL, BRANCHES), frame_file=MODEL, frame_name=compiled[0]
    )
    frames = (
        Frame(n, name, MODEL, 1, (compilation(n, record),)) for n, name in enumerate(compiled)
    )
    run = run_of(process_of(*frames), source=PROGRAM)

    found = advise(run, record, make_place(run, record.user), tried_functions(run))

    assert ("in line 9 of `forward`" in found.fix) is is_caught


def test_a_number_that_is_checked_below_is_one_of_such_a_branch() -> None:
    body = "n = x.sum().item()\ntry:\n    if n < 0:\n        raise ValueError\nexcept ValueError:\n"
    text = "def forward(x):\n" + textwrap.indent(f"{body}    x = -x\nreturn x\n", "    ")
    advice = best(Break("GB0124", None, "Tensor.item()", read_text(text, Span(2, 2, 8, 22))))

    assert advice is not None
    assert advice.id == "branch-raise-caught"


def test_a_try_that_only_chooses_is_said_in_the_users_words() -> None:
    found = code(tried("except ValueError"))
    advice = best(Break("GB0170", None, _ON_TENSOR, found))

    assert advice is not None
    assert "`y = torch.where(x.sum() < 0, -y, y)`" in advice.fix_for(found)


@pytest.mark.parametrize("then", ["y = 1 / y", "z = -y", "y = error"])
def test_what_could_be_wrong_is_said_in_general(then: str) -> None:
    found = code(tried("except ValueError as error", then=then))
    advice = best(Break("GB0170", None, _ON_TENSOR, found))

    assert advice is not None
    assert advice.fix_for(found) == advice.fix
