"""What differs where a size that only the call knows is 1 is told where something is squeezed."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.reading import Span, read_text

_KINDS = {
    "item-size": Break("GB0124", None),
    "tolist-sizes": Break("GB0033", None),
    "boolean-mask": Break("GB0036", None, "aten.nonzero.default"),
}


def said(advice_id: str, body: str, at: str = "") -> str:
    """What is told behind the general fix on the first statement."""
    head = "def forward(self, x, y, scale=1.0):\n"
    text = head + textwrap.indent(body, "    ")
    begin = text.split("\n")[1].find(at) if at else 0
    span = Span(2, 2, begin, begin + len(at)) if at else Span(2, 2)
    kind = _KINDS[advice_id]
    found = Break(kind.gb_id, kind.gb_type, kind.said, read_text(text, span))
    advice = best(found)
    assert advice is not None
    assert advice.id == advice_id
    ways = (advice, *other_ways(advice, found))
    (way,) = (way for way in ways if "config.patch" in way.fix)
    return way.fix_for(found.code).removeprefix(way.fix).strip()


@pytest.mark.parametrize(
    ("advice_id", "body", "at", "squeezed", "instead"),
    [
        (
            "item-size",
            "n = int(x.sum())\nreturn x[:n].squeeze(0)",
            "",
            "x[:n].squeeze(0)",
            "number",
        ),
        (
            "tolist-sizes",
            "a, b = x.split(y.tolist())\nreturn a.squeeze()",
            "",
            "a.squeeze()",
            "list",
        ),
        ("boolean-mask", "z = x[y > 0]\nreturn z.squeeze()", "x[y > 0]", "z.squeeze()", ""),
    ],
)
def test_what_is_squeezed(advice_id: str, body: str, at: str, squeezed: str, instead: str) -> None:
    told = said(advice_id, body, at)
    assert told.startswith(f"Where `{squeezed}` meets this size, and it is 1, Inductor keeps the")
    assert ("name the dimension" in told) == squeezed.endswith("()")
    assert told.endswith(f"make the {instead} in the caller." if instead else "(`squeeze(-1)`).")


def test_nothing_where_nothing_is_squeezed() -> None:
    assert said("item-size", "n = int(x.sum())\nreturn x[:n] + y") == ""
    assert said("boolean-mask", "z = x[y > 0]\nreturn z.sum()", "x[y > 0]") == ""
