"""Floats in guards have the name that torch 2.13 gives them."""

from __future__ import annotations

import pytest

from inspector.trace.failed_guard import parse_reason
from inspector.trace.float_guards import floats_by_name


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("___as_tensor(L['n']).item() == 4.5", "L['n'] == 4.5"),
        (
            "___as_tensor(f(x, (y))).item() < ___as_tensor(m).item()",
            "___as_tensor(f(x, (y))).item() < m",  # no source is nested so deeply
        ),
        ("___as_tensor(G['f']()['k']).item() == 1.0", "G['f']()['k'] == 1.0"),
        ("L['x'].item() == 4.5", "L['x'].item() == 4.5"),
        ("___as_tensor(L['n'", "___as_tensor(L['n'"),
    ],
)
def test_the_tensor_of_a_float_is_left_out(text: str, plain: str) -> None:
    assert floats_by_name(text) == plain


def test_a_reason_of_torch_2_11_is_one_of_2_13() -> None:
    # torch 2.11.0+cu130, the third value of a float that NumPy made a constant.
    found = parse_reason(
        "0/1: ___as_tensor(n).item() == 4.5  # (unknown source ___as_tensor(n).item(), please file "
        "a bug)"
    )
    assert (found.entry, found.text, found.guard.source) == ("0/1", "n == 4.5", "n")
    assert found.comment == ""
