"""A number that is a key or a member is needed by Python, whatever its name is on the way."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text


def chosen(body: str, pointed: str = "int(v)") -> str:
    text = "def forward(x, v, given):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    line = next(n for n, line in enumerate(text.split("\n"), 1) if pointed in line)
    column = text.split("\n")[line - 1].index(pointed)
    code = read_text(text, Span(line, line, column, column + len(pointed)))
    advice = best(Break("GB0124", None, "Tensor.item()", code))
    return advice.id if advice else ""


@pytest.mark.parametrize(
    "body",
    [
        "seen = set()\nfor v in x:\n    seen.add(int(v))\nreturn x * len(seen)",
        "self.seen.add(int(v))\nreturn x",
        "counts = {}\ncounts[int(v)] = 1\nreturn x",
        "counts = collections.Counter()\ncounts[int(v)] += 1\nreturn x",
        "return x * given.get(int(v), 1.0)",
        "given.setdefault(int(v), []).append(x)\nreturn x",
        "counts: dict[int, int] = {}\ncounts[0, int(v)] = 1\nreturn x",
        "key = int(v)\ncounts = {}\ncounts[key] = 1\nreturn x",
        "return {int(v): x}",
    ],
)
def test_keys_and_members(body: str) -> None:
    assert chosen(body) == "values-as-keys"


@pytest.mark.parametrize(
    "body",
    [
        "return x.add(int(v))",  # of a tensor, which gives another one
        "y = x * 2\ny[int(v)] = 0\nreturn y",
        "scale = int(v)\nreturn x.add(scale)",
        "rows = [x, v]\nrows.insert(int(v), x)\nreturn rows",
        "counts = {}\ncounts[0] = int(v)\nreturn x",
        "return {0: int(v)}",
    ],
)
def test_what_is_no_key(body: str) -> None:
    assert chosen(body) != "values-as-keys"


def test_what_a_counter_is_updated_with() -> None:
    body = "seen = Counter()\nseen.update(int(v) for v in x)\nreturn len(seen)"
    assert chosen(body) == "values-as-keys"
