"""Recurrent layers on packed sequences: the setting for other recurrent layers is no help."""

from __future__ import annotations

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text

_PACKED = """\
def forward(self, x, lengths):
    packed = rnn.pack_padded_sequence(x, lengths, batch_first=True)
    return self.layer(packed)[0]
"""
_PADDED = """\
def forward(self, x, lengths):
    return self.layer(x)[0]
"""


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [(_PACKED, 3, "packed-recurrent-layer"), (_PADDED, 2, "recurrent-layer")],
)
def test_the_setting_is_for_what_is_not_packed(text: str, line: int, name: str) -> None:
    advice = best(Break("GB0014", None, "", read_text(text, Span(line, line))))

    assert advice
    assert advice.id == name
    assert advice.replaces("Set torch._dynamo.config.allow_rnn=True to enable experimental support")


def test_packing_is_left_together_with_the_layer() -> None:
    said = "module: torch.nn.utils.rnn, qualname: pack_padded_sequence, skip reason: <missing>"
    advice = best(Break("GB0007", None, said, read_text(_PACKED, Span(2, 2))))

    assert advice
    assert advice.id == "packed-sequence"
