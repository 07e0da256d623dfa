"""``ConstraintViolationError``: a dimension that was to be dynamic became a constant."""

from __future__ import annotations

import dataclasses
import re

VIOLATION = "ConstraintViolationError"
"""Name of the exception (torch/fx/experimental/symbolic_shapes.py, 2.11 to 2.13)."""

# ShapeEnv.produce_guards_verbose, the same file: what was marked, and what the code made of it.
_CONSTANT = re.compile(
    r"You marked (?P<source>.+?) as dynamic but your code specialized it to be a constant "
    r"\((?P<value>.+?)\)"
)
_RANGE = re.compile(
    r"Not all values of (?P<source>.+?) = .*? satisfy the generated guard (?P<guard>.+?)"
    r"(?:\.\n|\n|$)"
)
_LINES = re.compile(r"^  - (.+?)(?=\n  - |\nUser stack|\n\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """One marked dimension that cannot be dynamic.

    Attributes:
        source: The dimension in Dynamo's spelling (``L['x'].size()[0]``), or an empty string.
        constant: What it was made, or an empty string.
        guard: What the code asks of it instead, or an empty string.
    """

    source: str
    constant: str
    guard: str
    text: str


def violations(reason: str) -> tuple[Violation, ...]:
    """The dimensions that the exception's text names; a text of another form is one violation."""
    found = tuple(_violation(" ".join(text.split())) for text in _LINES.findall(reason))
    return found or (Violation("", "", "", reason.strip().partition("\n")[0]),)


def _violation(text: str) -> Violation:
    constant = _CONSTANT.search(text)
    if constant:
        return Violation(constant["source"], constant["value"], "", text)
    bounded = _RANGE.search(text)
    if bounded:
        return Violation(bounded["source"], "", bounded["guard"], text)
    return Violation("", "", "", text)
