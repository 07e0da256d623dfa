"""A number that only the text of an error needs is left out of it where nobody reads that."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text

SAID = 'raise ValueError(f"sum {x.sum().item()}")'
HELPER = f"def check(x):\n    {SAID}\n"


def code(text: str, pointed: str) -> Code:
    line = next(n for n, line in enumerate(text.split("\n"), 1) if pointed in line)
    return read_text(text, Span(line, line))


def tried(handler: str, then: str, body: str = SAID) -> str:
    inner = f"try:\n    if x.shape[0] > 3:\n        {body}\n{handler}:\n    {then}\nreturn x\n"
    return "def forward(x):\n" + textwrap.indent(inner, "    ")


def fix(found: Code) -> str:
    record = Break("GB0124", None, "Tensor.item()", found)
    advice = best(record)
    assert advice is not None
    assert advice.id == "item-in-error"
    assert advice.replaces("set torch._dynamo.config.capture_scalar_outputs = True")
    return advice.fix_for(found)


@pytest.mark.parametrize(
    ("handler", "then"),
    [("except ValueError", "x = x + 1"), ("except Exception as error", "x = x + 1")],
)
def test_what_nobody_reads_is_left_out(handler: str, then: str) -> None:
    assert fix(code(tried(handler, then), "raise")) == (
        "The error is caught in the compiled code (line 5 of `forward`), which does not look at "
        "its text: leave `x.sum().item()` out of it."
    )


def test_so_it_is_where_a_caller_catches_it() -> None:
    caller = tried("except ValueError", "x = x + 1", "check(x)")
    found = dataclasses.replace(code(HELPER, "raise"), callers=(code(caller, "check(x)"),))
    assert "(line 5 of `forward`)" in fix(found)


@pytest.mark.parametrize(
    ("handler", "then"),
    [
        ("except ValueError as error", "x = x + len(str(error))"),
        ("except ValueError as error", "log(error); raise"),
        ("except KeyError", "x = x + 1"),
    ],
)
def test_what_somebody_reads_is_made_by_the_caller(handler: str, then: str) -> None:
    assert fix(code(tried(handler, then), "raise")).startswith("Raise the error in the caller")


def test_other_numbers_are_none_of_an_error() -> None:
    text = "def forward(x):\n    y = x.sum().item()\n    return y\n"
    advice = best(Break("GB0124", None, "Tensor.item()", code(text, ".item()")))
    assert advice is not None
    assert advice.id != "item-in-error"
