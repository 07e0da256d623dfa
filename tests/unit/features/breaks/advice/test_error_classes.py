"""Of an exception whose class calls the builtin ``__init__``, advice looks where it is raised."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text

PROGRAM = """\
class Refused(ValueError):
    pass


class TooLong(Refused):
    def __init__(self, size, limit):
        super().__init__(f"{size} > {limit}")


def forward(x):
    try:
        if x.shape[0] > 3:
            raise TooLong(4, 3)
    except TooLong as error:
        y = error.size
    return y
"""
SAID = "call_method SuperVariable() __init__"
SUPER = 'super().__init__(f"{size} > {limit}")'


def advised(program: str = PROGRAM, gb_id: str = "GB0006") -> tuple[str, str]:
    """Id of the advice, and the fix in the user's words."""
    raising = next(n for n, line in enumerate(program.splitlines(), 1) if "TooLong(4" in line)
    code = dataclasses.replace(
        read_text(program, Span(7, 7)), callers=(read_text(program, Span(raising, raising)),)
    )
    advice = best(Break(gb_id, None, SAID, code))
    return (advice.id, advice.fix_for(code)) if advice else ("", "")


def test_the_line_is_written_as_it_is_to_be() -> None:
    name, fix = advised()

    assert name == "exception-init"
    assert fix.startswith(f'Write `self.args = (f"{{size}} > {{limit}}",)` in place of `{SUPER}`')
    assert "wrong values" not in fix


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("super().__init__()", "self.args = ()"),
        ("super().__init__(size, *limit)", "self.args = (size, *limit)"),
        ("ValueError.__init__(self, size)", "self.args = (size,)"),
    ],
)
def test_all_arguments_are_kept(written: str, line: str) -> None:
    assert f"`{line}` in place of `{written}`" in advised(PROGRAM.replace(SUPER, written))[1]


@pytest.mark.parametrize("read", ["error.args[0]", "str(error)", "f'{error}'"])
def test_what_compiled_code_reads_wrongly_is_said(read: str) -> None:
    fix = advised(PROGRAM.replace("error.size", read))[1]

    assert "wrong values of `str(error)` and `error.args`" in fix


def test_an_error_that_nothing_catches_is_to_be_raised_by_the_caller() -> None:
    again = PROGRAM.replace("y = error.size", "raise OSError")
    untried = PROGRAM.replace("    try:\n", "    if x:\n").partition("    except")[0]

    assert [advised(program)[0] for program in (again, untried)] == ["exception-leaves"] * 2


@pytest.mark.parametrize("base", ["OSError", "UnicodeError", "dict"])
def test_of_a_class_that_does_more_nothing_is_said(base: str) -> None:
    assert advised(PROGRAM.replace("(ValueError)", f"({base})")) == ("", "")
