"""NumPy in compiled code."""

from __future__ import annotations

from inspector.advice.advice import case
from inspector.advice.code import dotted_name

ADVICE = (
    case(
        "numpy-random-number",
        where=lambda code: code.has(
            lambda node: dotted_name(node).startswith(("np.random.", "numpy.random."))
        ),
    ),
    case("numpy-function"),
    case("ndarray-method"),
)
