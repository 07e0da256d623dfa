"""NumPy in compiled code."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import DATA_DEPENDENT

FUNCTION = Advice(
    id="numpy-function",
    kinds=(Kind("GB0294", "attempted to trace numpy function unsupported by PyTorch"),),
    title="a NumPy function that torch has no counterpart of",
    fix="Write it with tensor operators; or call the NumPy function in the caller, before or "
    "behind the compiled function.",
    keeps="The outputs, to rounding: NumPy computes in float64 here.",
)

METHODS = Advice(
    id="ndarray-method",
    kinds=(
        Kind("GB0158", "Unsupported ndarray method call"),
        Kind("GB0250", "ndarray.astype(object)"),
    ),
    title="a method of an array that no tensor has",
    fix="Return the tensor (a `clone()` where it is written to in place later), and call the "
    "method in the caller.",
    keeps="The outputs.",
)


RANDOM_NUMBER = Advice(
    id="numpy-random-number",
    kinds=(DATA_DEPENDENT, *FUNCTION.kinds),
    where=lambda code: code.has(
        lambda node: dotted_name(node).startswith(("np.random.", "numpy.random."))
    ),
    title="a random number from NumPy",
    fix="Draw it in the caller, as often as here, and pass it as a tensor; or draw it with torch "
    "(`torch.rand`, `torch.randperm(n)`, `torch.distributions`), which has other random numbers.",
    keeps="The same random numbers. As a Python float the number would be compiled into the graph, "
    "and every new one would compile it again.",
)

ADVICE = (RANDOM_NUMBER, FUNCTION, METHODS)
