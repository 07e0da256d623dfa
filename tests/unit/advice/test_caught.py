"""Whether the function itself catches what a branch raises."""

from __future__ import annotations

import textwrap

import pytest

from inspector.advice.advice import Break
from inspector.advice.code import Code
from inspector.advice.reading import Span, read_text
from inspector.advice.table import best

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
