"""A condition on sizes that an operator wants as a bool is decided by a branch."""

from __future__ import annotations

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best
from inspector.report.user_code.reading import Span, read_text


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("F.sdpa(q, k, v, is_causal=q.shape[1] > 1)", "q.shape[1] > 1"),
        ("x.sum(-1, not x.shape[0])", "not x.shape[0]"),
        ("F.dropout(x, 0.1, training=bool(len(x) > 4))", "bool(len(x) > 4)"),
        ("f(len(x) > 4, len(x) < 9)", "condition"),
    ],
)
def test_the_condition_is_named_where_there_is_one(call: str, shown: str) -> None:
    text = f"def forward(x, q, k, v):\n    return {call}\n"
    code = read_text(text, Span(2, 2, 11, 11 + len(call)))
    found = Break("GB0112", None, "argument 'is_causal' must be bool, not SymBool", code)
    advice = best(found)
    assert advice is not None
    assert f"`True if {shown} else False`" in advice.fix_for(code)
