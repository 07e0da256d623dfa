"""What advice says, put into the file: odd places of a branch, and what is no change of a file."""

from __future__ import annotations

import pytest

from inspector.features.breaks.advice.table import ALL
from inspector.report.user_code.reading import Span, read_line, read_text
from inspector.shared.edit import edited

WHERE, KEEP_TENSOR = (
    next(advice for advice in ALL if advice.id == name) for name in ("branch-where", "item")
)
HEAD = "import torch\n\ndef f(self, x, y):\n"


def made(advice: object, body: str, line: int) -> list[str]:
    """The lines of the function with the advice on one of them put in its place."""
    text = HEAD + "".join(f"    {each}\n" for each in body.split("\n"))
    code = read_text(text, Span(line + 3, line + 3))
    edits = advice.edits_for(code)  # type: ignore[attr-defined]
    return [each[4:] for each in edited(text, edits).splitlines()[3:]] if edits else []


def test_a_branch_is_one_line_and_those_below_stay_where_they_are() -> None:
    body = "if x.sum() > 0:\n    z = x * 2\nelse:\n    z = y\nreturn z"
    where = "z = torch.where(x.sum() > 0, x * 2, y)"
    assert made(WHERE, body, 1) == [where, "", "", "", "return z"]


def test_an_elif_stays_behind_its_if() -> None:
    body = (
        "if self.training:\n    z = x\nelif x.sum() > 0:\n    z = x * 2\nelse:\n    z = y\nreturn z"
    )
    assert made(WHERE, body, 3) == [
        "if self.training:",
        "    z = x",
        "else: z = torch.where(x.sum() > 0, x * 2, y)",
        "",
        "",
        "",
        "return z",
    ]


def test_a_number_stays_a_tensor_wherever_it_is_used() -> None:
    body = "scale = x.std().item()\nx = x / max(scale, 1e-3)\nreturn x * scale"
    assert made(KEEP_TENSOR, body, 1) == [
        "scale = x.std().detach()",
        "x = x / max(scale, 1e-3)",
        "return x * scale",
    ]


def test_where_more_is_made_of_a_number_a_tensor_is_tried() -> None:
    body = "return torch.full_like(y, (x - y)[0].item())"
    assert made(KEEP_TENSOR, body, 1) == [
        "return torch.full_like(y, (x - y)[0].detach().clone().reshape(()))"
    ]


def test_a_guard_is_put_into_its_own_side_alone() -> None:
    (line,) = made(WHERE, "if x.sum() > 0:\n    z = x / n\nelse:\n    z = y - x / n\nreturn z", 1)[
        :1
    ]
    assert line == (
        "z = torch.where(x.sum() > 0, x / torch.where(x.sum() > 0, n, 1), "
        "y - x / torch.where(x.sum() > 0, 1, n))"
    )
    (line,) = made(WHERE, "if (x / n).sum() > 0:\n    x = x / n ** 2\nreturn x", 1)[:1]
    condition = "(x / n).sum() > 0"
    assert line == f"x = torch.where({condition}, x / torch.where({condition}, n ** 2, 1), x)"


@pytest.mark.parametrize(
    "body",
    [
        "s = x.std().item()\ng = lambda s: x / max(s, 1e-3)\nreturn x / max(s, 1e-3), g(3.0)",
        "s = x.std().item()\ndef g(s):\n    return x / max(s, 1e-3)\nreturn x / max(s, 1e-3), g",
        "s = x.std().item()\nz = sum(x / max(s, 1e-3) for s in (1.0, 2.0))\nreturn z, max(s, 1e-3)",
    ],
)
def test_a_name_that_is_another_one_within_is_left_alone(body: str) -> None:
    lines = made(KEEP_TENSOR, body, 1)
    assert "clamp" not in " ".join(lines)


def test_a_number_from_elsewhere_has_no_method() -> None:
    body = "s = 1.0\nif self.training:\n    s = x.std().item()\nreturn x / max(s, 1e-3)"
    assert "clamp" not in " ".join(made(KEEP_TENSOR, body, 3))


def test_words_stay_apart() -> None:
    assert made(KEEP_TENSOR, "return(x.std()).item() * y", 1) == ["return x.std().detach() * y"]


@pytest.mark.parametrize("body", ["if x.sum() > 0:\n    self.n += 1\nreturn x", "return x"])
def test_what_is_no_choice_changes_nothing(body: str) -> None:
    assert made(WHERE, body, 1) == []


def test_a_line_without_its_file_is_no_file() -> None:
    code = read_line("    if x.sum() > 0:", Span(7, 7))
    assert WHERE.edits_for(code) == ()
