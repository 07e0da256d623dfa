"""Tensors compared or taken apart as a whole, and functions of math applied to them."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import attribute
from inspector.advice.kinds import BRANCH, DATA_DEPENDENT, ITEM
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under


def _is_membership(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(item, ast.In | ast.NotIn) for item in node.ops
    )


_SETTING = "capture_scalar_outputs=True"

TOLIST = Advice(
    id="tolist",
    kinds=(
        Kind("GB0109", "Tensor.tolist() with non-integer tensor"),
        DATA_DEPENDENT,
    ),
    where=lambda code: code.has(attribute("tolist")),
    title="tolist",
    fix="Keep it a tensor: `t.detach().clone().unbind()` instead of `t.tolist()`, for one "
    "dimension; make a list of numbers in the caller if need be.",
    instead_of=r"^Ensure the input tensor|^type \(e\.g\.",
    keeps="The outputs, to rounding, and the gradients: numbers have no history, and do not change "
    "with the tensor (hence `detach` and `clone`). Python numbers are float64, tensors keep their "
    "dtype.",
)

TOLIST_CAPTURED = Advice(
    id="tolist-captured",
    kinds=(DATA_DEPENDENT,),
    title="tolist, left where it is",
    fix=f"To leave it where it is: {under(_SETTING)} keeps integers in the graph, as long as no "
    "Python branch, range or key depends on one of them; `tolist()` of floats breaks the graph all "
    "the same.",
    holds_elsewhere=True,
    keeps="The outputs and gradients. A number that a Python branch depends on is an error there "
    f"under fullgraph=True, and breaks the graph otherwise. {CALLS_ALONE} {BY_ITSELF}",
    other_way_of=("tolist",),
    instead_of=r"capture_scalar_outputs",
)

COMPARE = Advice(
    id="equal-or-allclose",
    kinds=(DATA_DEPENDENT,),
    where=lambda code: code.has(attribute("equal", "allclose")),
    title="torch.equal or torch.allclose",
    fix="Compare on the tensors: `(a == b).all()` instead of `torch.equal(a, b)`, "
    "`torch.isclose(a, b).all()` instead of `torch.allclose(a, b)`; the answer is a tensor, and an "
    "`if` on it breaks the graph.",
    keeps="The answer, as a tensor of one bool. (`torch.equal` is False for different shapes, "
    "where `==` raises an error.)",
)

CONTAINS = Advice(
    id="value-in-tensor",
    kinds=(ITEM, BRANCH),
    where=lambda code: code.has(_is_membership),
    title="`in` on a tensor",
    fix="Compare on the tensor: `(x == value).any()` instead of `value in x` for a tensor `x`; the "
    "answer is a tensor, and an `if` on it breaks the graph.",
    keeps="The answer, as a tensor of one bool.",
    instead_of=r"capture_scalar_outputs|torch\.cond|branchless",
)

ADVICE = (CONTAINS, TOLIST, TOLIST_CAPTURED, COMPARE)
