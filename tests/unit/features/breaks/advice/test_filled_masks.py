"""A selection is replaced by a filling only where what is done with it allows that."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text


def first_fix(body: str, at: str) -> str:
    text = "def forward(self, x, y):\n" + textwrap.indent(body, "    ")
    begin = text.split("\n")[1].find(at)
    code = read_text(text, Span(2, 2, begin, begin + len(at)))
    advice = best(Break("GB0036", None, "aten.nonzero.default", code))
    assert advice is not None
    assert advice.id == "boolean-mask"
    return advice.fix_for(code)


@pytest.mark.parametrize(
    "body",
    ["return x[y > 0].sum()", "z = x[y > 0]\nreturn z.sum()", "z = x[y > 0]\nreturn z.amax(0)"],
)
def test_a_sum_or_a_maximum_can_be_of_filled_values(body: str) -> None:
    assert "torch.where(mask, x, 0)" in first_fix(body, "x[y > 0]")


@pytest.mark.parametrize(
    "body",
    [
        "return x[y > 0].mean()",
        # 1.9478 with capture_dynamic_output_shape_ops, 1.8350 with zeros in place of the others.
        "z = x[y > 0]\nreturn F.cross_entropy(z, y[y > 0])",
        "z = x[y > 0]\nreturn z.sum() / z.shape[0]",
        "return x[y > 0]",
    ],
)
def test_a_mean_or_a_loss_would_change(body: str) -> None:
    assert "capture_dynamic_output_shape_ops=True" in first_fix(body, "x[y > 0]")
