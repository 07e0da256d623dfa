"""A branch on a drawn number is told from one on data."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text


def advised(body: str) -> str:
    """The id of the best advice on the first line with ``if``."""
    text = "def forward(self, x):\n" + textwrap.indent(body, "    ")
    line = next(n for n, each in enumerate(text.split("\n"), 1) if "if " in each)
    said = "attempted to jump with TensorVariable()"
    code = read_text(text, Span(line, line))
    advice = best(Break("GB0170", "Data-dependent branching", said, code))
    assert advice is not None
    return advice.id


@pytest.mark.parametrize(
    "body",
    [
        "if self.training and random.random() < self.p:\n    return x\n",
        "if torch.rand([]) < 0.1:\n    return x\n",
        "p = torch.rand(()).item()\nif p < 0.1:\n    x = x * 2\nreturn x\n",
        "p = torch.rand([])\nskip = self.training and p < 0.1\nif not skip:\n    x = x * 2\n",
        "p = np.random.uniform(0, 1)\nx = x if p < self.p else x * 2\n",
    ],
)
def test_a_drawn_number(body: str) -> None:
    assert advised(body) == "branch-random"


@pytest.mark.parametrize(
    "body",
    [
        "x = x + torch.rand(3)\nif x.sum() > 0:\n    x = x * 2\nreturn x\n",
        "noise = torch.rand(3) * x\nif noise.sum() > 0:\n    x = x * 2\nreturn x\n",
    ],
)
def test_data(body: str) -> None:
    assert advised(body) != "branch-random"
