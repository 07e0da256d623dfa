"""Slices whose length is in a tensor."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code, header
from inspector.advice.indices import makes_number

_FILLED = {
    "amax": "-inf", "amin": "inf", "argmax": "-inf", "argmin": "inf", "log_softmax": "-inf",
    "logsumexp": "-inf", "max": "-inf", "min": "inf", "prod": "1", "softmax": "-inf",
}  # fmt: skip
_OTHER = frozenset({"argsort", "cummax", "cummin", "median", "mode", "quantile", "sort", "topk"})
_BEHIND = {
    "log_softmax": "; what is behind n is then `float('-inf')`",
    "softmax": "; what is behind n is then 0",
}
_BEYOND = "`beyond = torch.arange(x.shape[0], device=x.device) >= n`"
_AS_INT = "or pass the length as a Python int."
_RANGE = "an n that is neither negative nor more than there is"


def _slices(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice)


def _reduction(code: Code) -> str:
    """The name of the function or method that is given the slice."""
    for node in header(code.statement) if code.statement else ():
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args):
                if any(map(_is_slice, (value, *args[:1]))):
                    return name
    return ""


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and _slices(node.slice)


def _slice_tailored(code: Code) -> str:
    """What to fill in, where what is done with the slice says so."""
    name = _reduction(code)
    if name in _FILLED:
        number = _FILLED[name] if name == "prod" else f"float('{_FILLED[name]}')"
        rest = _BEHIND.get(name, "")
        return (
            f"Keep the full length and fill what is behind it with what `{name}` passes over: for "
            f"`x[:n]` of one dimension `x.masked_fill(beyond, {number})`, with {_BEYOND} and an n "
            f"that is not negative{rest}; {_AS_INT}"
        )
    if name == "mean":
        return (
            "Keep the full length, and divide the sum by n: for `x[:n].mean()` of one dimension "
            f"`x.masked_fill(beyond, 0).sum() / n`, with {_BEYOND} and {_RANGE}; {_AS_INT}"
        )
    if name in {"std", "var"}:
        root = ".sqrt()" if name == "std" else ""
        return (
            f"Keep the full length and compute it of sums: for `x[:n].{name}()` of one dimension "
            "`mean = x.masked_fill(beyond, 0).sum() / n`, then `((x - mean).square().masked_fill("
            f"beyond, 0).sum() / (n - 1)){root}`, with {_BEYOND} and {_RANGE}; {_AS_INT}"
        )
    if name in _OTHER:
        return f"Pass the length as a Python int: no value can be filled in that `{name}` ignores."
    return ""


ADVICE = (
    case(
        "tensor-as-length",
        where=lambda code: code.has(_slices) and not code.has(makes_number),
        tailored=_slice_tailored,
    ),
)
