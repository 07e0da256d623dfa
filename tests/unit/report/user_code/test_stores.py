"""Stores through masks, and at positions that tensors hold."""

import textwrap

import pytest

from inspector.features.breaks.advice.predicates import predicate
from inspector.report.user_code.reading import Span, read_text


def fits(name: str, body: str, line: int = 1) -> bool:
    """Whether a predicate fits a line of a function."""
    text = "def forward(self, x, y, n):\n" + textwrap.indent(body, "    ")
    return predicate(name)(read_text(text, Span(line + 1, line + 1)))


@pytest.mark.parametrize(
    ("store", "is_update"),
    [
        ("x[y > 0] = x[y > 0] * 2", True),
        ("x[y > 0] *= 2", True),
        ("x[y > 0] = y[y > 0]", True),
        ("x[y > 0] = x[y > 0] - x[y > 0].mean()", False),
        ("x[y > 0] = x[y > 1] * 2", False),
        ("x[y > 0] = y", False),
        ("x[3] = x[3] * 2", False),
        ("x[y > 0] = x[y > 0] @ y", False),
        ("x[y > 0] = x[y > 0].sort().values", False),
        ("x[y > 0], z = x[y > 0] * 2, 1", False),
    ],
)
def test_an_update_is_of_each_element_alone(store: str, *, is_update: bool) -> None:
    assert fits("updates_masked", store) is is_update


@pytest.mark.parametrize(
    ("store", "is_position"),
    [
        ("self.bank[at : at + n] = x", True),
        ("self.bank[:, at : at + n] = x", True),
        ("self.bank[:at] = x", False),
        ("y = self.bank[at : at + 2]", False),
        ("self.bank[at] = x", False),
    ],
)
def test_a_position_is_where_a_slice_that_is_stored_begins(
    store: str, *, is_position: bool
) -> None:
    assert fits("is_position", f"at = int(self.at)\n{store}") is is_position
