"""Branches on tensors whose sides do what no graph does: the caller decides."""

from __future__ import annotations

import pytest

from inspector.features.breaks.advice.advice import BRANCH, Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text
from tests.unit.report.user_code.fixes import fix

JUMP = "attempted to jump with TensorVariable()"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "if x.any():\n    return None\nreturn x\n",
            "return `x.any()` as well, a tensor, and `None` in the caller, where it is true",
        ),
        ("if x.any():\n    return False\nreturn x\n", "and `False` in the caller"),
        ("if x.any():\n    return\nreturn x\n", "and `None` in the caller"),
        ("if x.any():\n    y = None\nreturn y\n", "Leave the branch out, if `y` changes nothing"),
        ("z = 'a' if x.any() else 'b'\nreturn z\n", "chooses between what `'a'` and `'b'` lead to"),
        ("if x.any():\n    flag.append(x)\nreturn x\n", "what `flag.append(x)` needs, and do that"),
        ("if x.any():\n    self.n += 1\nreturn x\n", "`self.n += x.any()` in the place of"),
    ],
)
def test_what_the_caller_does_is_told_in_the_words_of_the_user(body: str, said: str) -> None:
    assert said in fix("branch-decided", body, "x.any()")


@pytest.mark.parametrize("test", ["not self.is_set", "self.fresh", "not self.is_set.item()"])
def test_a_flag_of_what_was_done_before_is_one_of_python(test: str) -> None:
    name = test.removeprefix("not ").removesuffix(".item()")
    said = fix("branch-decided", f"if {test}:\n    self.scale.copy_(x)\nreturn x\n", test)

    assert said.startswith(f"Where `{name}` says whether this was done before: do it in the caller")


def chosen(body: str) -> str:
    lines = [f"    {line}\n" for line in body.rstrip().split("\n")]
    text = "def forward(self, x, y):\n" + "".join(lines)
    line = next(n for n, each in enumerate(text.split("\n"), 1) if "x.any()" in each)
    found = Break(BRANCH.gb_id, BRANCH.gb_type, JUMP, read_text(text, Span(line, line)))
    advice = best(found)
    return advice.id if advice else ""


@pytest.mark.parametrize(
    "side",
    [
        "return None", "return 'large'", "y = None", "y = [x]", "del y",
        "self.seen += 1", "self.f(x)", "for p in y:\n        p.grad = None", "y = y[:3]",
        "with self.lock:\n        self.f(x)", "y = f'{x}'",
    ],
)  # fmt: skip
def test_what_no_graph_does_is_for_the_caller(side: str) -> None:
    assert chosen(f"if x.any():\n    {side}\nreturn y") == "branch-decided"


@pytest.mark.parametrize(
    "side", ["y = x * 2", "y = self.f(x)", "y = x.f()", "y += x", "pass", "y = x if y else None"]
)
def test_what_may_be_a_choice_of_tensors_stays_one(side: str) -> None:
    assert chosen(f"if x.any():\n    {side}\nreturn y") == "branch-where"


def test_modes_are_no_tensors() -> None:
    body = "z = torch.no_grad() if x.any() else nullcontext()\nwith z:\n    return y"

    assert chosen(body) == "branch-decided"
