"""What differs where a size that only the call knows is 1 is told where the code does it."""

from __future__ import annotations

import textwrap

import pytest

from inspector.advice.advice import Break
from inspector.advice.reading import Span, read_text
from inspector.advice.table import best, other_ways

_KINDS = {
    "item-size": Break("GB0124", None),
    "tolist-sizes": Break("GB0033", None),
    "boolean-mask": Break("GB0036", None, "aten.nonzero.default"),
}
_KEEPS = "Inductor keeps the dimension that"


def said(advice_id: str, body: str, at: str = "") -> str:
    """What is told behind the general fix on the first statement."""
    head = "def forward(self, x, y, scale=1.0):\n"
    text = head + textwrap.indent(body, "    ")
    begin = text.split("\n")[1].find(at) if at else 0
    span = Span(2, 2, begin, begin + len(at)) if at else Span(2, 2)
    code = read_text(text, span)
    kind = _KINDS[advice_id]
    found = Break(kind.gb_id, kind.gb_type, kind.said, code)
    advice = best(found)
    assert advice is not None
    assert advice.id == advice_id
    ways = (advice, *other_ways(advice, found))
    (way,) = (way for way in ways if "config.patch" in way.fix)
    return way.fix_for(code).removeprefix(way.fix).strip()


@pytest.mark.parametrize(
    ("body", "squeezed"),
    [
        ("n = int(x.sum())\nreturn x[:n].squeeze()", "x[:n].squeeze()"),
        ("n = int(x.sum())\nreturn x[:n].squeeze(0)", "x[:n].squeeze(0)"),
        ("n = int(x.sum())\nz = y[:, :n]\nreturn z.squeeze(dim=1)", "z.squeeze(dim=1)"),
        ("n = int(x.sum())\nreturn torch.squeeze(x[:n] * n)", "torch.squeeze(x[:n] * n)"),
        ("n = int(x.sum())\nreturn torch.zeros(n).relu().squeeze()", "torch.zeros(n)"),
    ],
)
def test_a_cut_that_is_squeezed(body: str, squeezed: str) -> None:
    told = said("item-size", body)
    assert f"{_KEEPS} `{squeezed}" in told
    assert "`torch._check(n != 1)` makes that an error" in told
    assert told.endswith("make the number in the caller.")


@pytest.mark.parametrize(
    "body",
    [
        "n = int(x.sum())\nm = n + 1\nreturn x[:m].squeeze()",
        "n = int(x.sum())\nreturn x[:n + 1].squeeze()",
        "n = int(x.sum())\nreturn x[n:].squeeze()",
        "return x[:int(x.sum())].squeeze()",
    ],
)
def test_a_size_that_is_not_the_number_is_not_checked(body: str) -> None:
    told = said("item-size", body)
    assert _KEEPS in told
    assert "torch._check" not in told


@pytest.mark.parametrize(
    ("body", "broadcast"),
    [
        ("n = int(x.sum())\nreturn x[:n] + y", "x[:n] + y"),
        ("n = int(x.sum())\nz = x[:n].relu()\nreturn y * z", "y * z"),
        ("n = int(x.sum())\nreturn torch.where(x[:n] > 0, y, 0)", "torch.where(x[:n] > 0, y, 0)"),
        ("n = int(x.sum())\nreturn x[:n] > y[:3]", "x[:n] > y[:3]"),
    ],
)
def test_a_cut_that_may_be_broadcast(body: str, broadcast: str) -> None:
    assert said("item-size", body) == (
        f"Where it turns out to be 1 and `{broadcast}` broadcasts it, Inductor raises: make the "
        "number in the caller."
    )


@pytest.mark.parametrize(
    "body",
    [
        "n = int(x.sum())\nreturn x[:n].squeeze(-1), y.squeeze()",
        "n = int(x.sum())\nreturn x[:n] * y[:n] + scale",
        "n = int(x.sum())\nreturn x[:n].sum() * y + x[:n].shape[1]",
        "n = int(x.sum())\nreturn x[:n] @ y * self.scale * n",
        "n = int(x.sum())\nz = x[:n]\nreturn z - z.mean() + len(x)",
    ],
)
def test_what_stays_the_same_where_it_is_1(body: str) -> None:
    assert said("item-size", body) == ""


@pytest.mark.parametrize(
    "body",
    [
        "a, b = x.split(y.tolist())\nreturn a.squeeze()",
        "sizes = y.tolist()\nreturn [x[i, :n].squeeze() for i, n in enumerate(sizes)]",
        "for row, n in zip(x, y.tolist()):\n    z = row[:n, :].squeeze()\nreturn z",
    ],
)
def test_of_a_list_of_sizes(body: str) -> None:
    told = said("tolist-sizes", body)
    assert _KEEPS in told
    assert "torch._check" not in told
    assert told.endswith("make the list in the caller.")


def test_of_a_selection() -> None:
    told = said("boolean-mask", "z = x[y > 0]\nreturn z.squeeze()", "x[y > 0]")
    assert f"{_KEEPS} `z.squeeze()`" in told
    assert told.endswith("name the dimension if another is meant (`squeeze(-1)`).")
    assert said("boolean-mask", "z = x[y > 0]\nreturn z.sum()", "x[y > 0]") == ""
