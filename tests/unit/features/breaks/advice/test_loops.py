"""What a loop does with the value of a tensor decides what is advised on it."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.reading import Span, read_text

_JUMP = ("GB0170", "attempted to jump with TensorVariable()")
_ITEM = ("GB0124", "Dynamo does not support tracing `Tensor.item()`")


def chosen(kind: tuple[str, str], body: str) -> tuple[str, ...]:
    """The advice on the line that is marked, and its other ways."""
    text = "def forward(x, n):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    line = text[: text.index("# here")].count("\n") + 1
    found = Break(kind[0], None, kind[1], read_text(text, Span(line, line)))
    advice = best(found)
    return (advice.id, *(way.id for way in other_ways(advice, found))) if advice else ()


@pytest.mark.parametrize("kind", [_JUMP, _ITEM])
@pytest.mark.parametrize(
    ("leaving", "expected"),
    [("break", "branch-break"), ("return x", "branch-break"), ("continue", "branch-break")],
)
def test_a_branch_that_leaves_a_step_is_masked(
    kind: tuple[str, str], leaving: str, expected: str
) -> None:
    body = f"for i in range(3):\n    if x.sum() > i:  # here\n        {leaving}\n    x = x + 1\n"

    assert chosen(kind, body) == (expected,)


def test_the_break_of_an_inner_loop_leaves_no_other() -> None:
    body = """\
    for i in range(3):
        if x.sum() > i:  # here
            for j in range(3):
                break
    """

    assert chosen(_JUMP, body)[0] == "branch-where"


def test_a_return_outside_of_a_loop_is_a_side_of_a_branch() -> None:
    assert chosen(_JUMP, "if x.sum() > 1:  # here\n    return x\nreturn -x\n")[0] == "branch-where"


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(int(n)):  # here\n    x = x + i\n",
        "k = n.item()  # here\nfor i in range(1, k):\n    x = x + i\n",
        "k = n.item()  # here\nwhile k > 0:\n    k -= 1\n",
    ],
)
def test_the_number_of_steps_is_not_captured(body: str) -> None:
    assert chosen(_ITEM, body) == ("loop-by-value",)


def test_a_number_that_bounds_no_loop_may_be_captured() -> None:
    body = "k = n.item()  # here\nfor i in range(3):\n    x = x + k\n"

    assert chosen(_ITEM, body) == ("item", "item-captured")


@pytest.mark.parametrize(
    "step",
    [
        "order = order[1:][iou < 0.5]",
        "keep = iou <= 0.5\n        order = order[1:][keep]",
        "left = torch.where(iou <= 0.5)[0]\n        order = order[left + 1]",
        "order = order[1:].masked_select(iou < 0.5)",
    ],
)
def test_a_loop_that_shrinks_by_values_is_the_callers(step: str) -> None:
    text = (
        "def f(boxes, order):\n    while order.numel() > 0:\n        i = order[0]\n"
        f"        iou = overlap(boxes[i], boxes[order[1:]])\n        {step}\n    return order\n"
    )
    found = Break("GB0033", None, "aten._local_scalar_dense", read_text(text, Span(4, 4, 22, 30)))
    advice = best(found)

    assert advice is not None
    assert advice.id == "shrinking-loop"
