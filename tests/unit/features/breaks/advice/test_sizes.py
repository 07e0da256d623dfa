"""The setting that keeps dynamic sizes in the graph is offered where no branch depends on one."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.sizes import decides_by_size
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text

BREAK = 2


def code(body: str) -> Code:
    """The statement in line 2 breaks."""
    text = "def forward(x, mask, experts):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    return read_text(text, Span(BREAK, BREAK, None, None))


@pytest.mark.parametrize(
    "body",
    [
        "rows, slot = torch.nonzero(mask, as_tuple=True)\nif rows.numel() == 0:\n    return x\n",
        "rows = mask.nonzero()\nwhile len(rows) > 1:\n    rows = rows[1:]\n",
        "kept = x[mask]\nn = kept.shape[0]\ny = kept if n else x\n",
        "kept = x[mask]\nfor row in kept:\n    x = x + row\n",
        "kept = x[mask]\nfor i in range(len(kept)):\n    x = x + kept[i]\n",
        "if mask.nonzero().numel():\n    x = x + 1\n",
        # One setting captures all of them.
        "n = torch.bincount(x)\nfor e in x:\n    y = torch.where(mask)\n    while len(y): x = e\n",
    ],
)
def test_a_branch_or_a_loop_on_the_size(body: str) -> None:
    found = code(body)
    assert decides_by_size(found)
    for said in ("aten.nonzero.default", "aten.bincount.default", "aten.unique2.default"):
        record = Break("GB0036", None, said, found)
        advice = best(record)
        assert advice is not None
        assert other_ways(advice, record) == ()
        assert advice.replaces("Enable `torch._dynamo.config.capture_dynamic_output_shape_ops`")


@pytest.mark.parametrize(
    "body",
    [
        "kept = x[mask]\nreturn kept.sum()\n",
        "rows = mask.nonzero()\nif rows is None:\n    return x\nreturn x[rows]\n",
        "kept = x[mask]\nif x.shape[0] > 2:\n    return kept\n",
        "counts = torch.bincount(x)\nfor e in experts:\n    x = e(x)\nreturn x, counts\n",
        "y = torch.where(mask, x, 0)\nif y.shape[0] > 2:\n    return x\nz = x[mask]\n",
    ],
)
def test_a_size_that_nothing_depends_on(body: str) -> None:
    # The last one is about the selection behind the branch.
    line = body.count("\n") + 1 if body.startswith("y =") else BREAK
    text = "def forward(x, mask, experts):\n" + textwrap.indent(body, "    ")
    found = read_text(text, Span(line, line, None, None))
    assert not decides_by_size(found)
    record = Break("GB0036", None, "aten.nonzero.default", found)
    advice = best(record)
    assert advice is not None
    (other,) = other_ways(advice, record)
    assert "as long as no Python branch or loop depends on it" in other.fix


def test_without_the_source_it_is_offered() -> None:
    assert not decides_by_size(Code())
