"""More programs for the advice of inspector/advice/masked_writes.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_WRITE = BY_ID["masked-write"].before
_ELEMENTS = _WRITE.replace("torch.tensor([True, False, False, True])", "torch.eye(4, 3) > 0")
_ELEMENTS = _ELEMENTS.replace("6.0).reshape(2, 3)", "3.0)")
_ONE = _WRITE.replace("out[rows] = y.relu()", "out[rows] = y[0].relu()")
PAIRS = {
    "masked-write": (
        (
            _ELEMENTS,
            _ELEMENTS.replace("out[rows] = y.relu()", "out.masked_scatter_(rows, y.relu())"),
        ),
        (
            _ONE,
            _ONE.replace(
                "out[rows] = y[0].relu()", "out = torch.where(rows[:, None], y[0].relu(), out)"
            ),
        ),
    ),
}
