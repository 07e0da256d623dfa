"""Operators of the program's own, and what asks for a break."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import BREAK_CALL, DATA_DEPENDENT, ITEM
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, under

_CAPTURE = "capture_dynamic_output_shape_ops=True"

FAKE = Advice(
    id="operator-without-fake",
    kinds=(Kind("GB0090", "Operator does not support running with fake tensors"),),
    says=r"unsupported operator: (?!aten|prim)",
    title="an operator of an extension that has no fake implementation",
    fix='Register what its output looks like: `@torch.library.register_fake("mine::plus")` on a '
    "function that returns an empty tensor of the right shape, dtype and device; and its gradient, "
    "with `torch.library.register_autograd`, or a compiled call has none.",
    keeps="The outputs and gradients; the operator is called from the graph.",
    instead_of=r"docs\.google\.com",
)

_NEW_SIZE = "torch.library.get_ctx().new_dynamic_size()"

FAKE_SIZE = Advice(
    id="value-in-fake",
    kinds=(DATA_DEPENDENT, ITEM),
    where=lambda code: (
        code.function is not None
        and any(
            dotted_name(node).endswith(("register_fake", "impl_abstract"))
            for decorator in code.function.decorator_list
            for node in ast.walk(decorator)
            if isinstance(node, ast.expr)
        )
    ),
    title="a value read in a fake implementation",
    fix=f"Use `{_NEW_SIZE}` for a size that depends on the data: a fake implementation cannot read "
    f"values. The call of the operator then needs {under(_CAPTURE)}.",
    keeps=f"The outputs. {BY_ITSELF} {CALLS_ALONE}",
    instead_of=r"capture_scalar_outputs",
    tested_on=("2.13",),
)

JACOBIAN = Advice(
    id="autograd-functional",
    kinds=(Kind("GB0055", "Failed to convert args/kwargs to proxy"),),
    where=lambda code: code.has(
        lambda node: dotted_name(node).endswith(("functional.jacobian", "functional.hessian"))
    ),
    title="a derivative of torch.autograd.functional",
    fix="Use `torch.func`, which is traced: `torch.func.jacrev(f)(x.detach())` instead of "
    "`jacobian(f, x)`, `torch.func.hessian(f)(x.detach())` instead of `hessian(f, x)`; without "
    "`detach()` where `create_graph=True` is.",
    keeps="The outputs, which have no history (hence `detach`).",
)

_PRODUCTS = ("functional.hvp", "functional.jvp", "functional.vhp", "functional.vjp")

PRODUCTS = Advice(
    id="autograd-functional-products",
    kinds=JACOBIAN.kinds,
    where=lambda code: code.has(lambda node: dotted_name(node).endswith(_PRODUCTS)),
    title="a product with a derivative, of torch.autograd.functional",
    fix="Use `torch.func`, which is traced: `torch.func.jvp(f, (x,), (v,))` instead of "
    "`jvp(f, x, v)`; `value, pull = torch.func.vjp(f, x)` and `pull(v)[0]` instead of "
    "`vjp(f, x, v)`; for `hvp`, `torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]` (`vhp` is the "
    "same where second derivatives are continuous).",
    keeps="The outputs, which have no history unless `create_graph=True` is: hence `detach` of "
    "what goes in.",
)


DISABLED = Advice(
    id="disabled-function",
    kinds=(
        Kind("GB0098", "Skip calling `torch.compiler.disable()`d function"),
        Kind("GB0099", "Skip inlining `torch.compiler.disable()`d function"),
    ),
    title="a function with torch.compiler.disable",
    fix="Remove `torch.compiler.disable`, if what it was there for is traced by now; or call the "
    "function in the caller, so that it stands between two compiled functions, not in one.",
    keeps="The outputs.",
)

GRAPH_BREAK = Advice(
    id="graph-break-call",
    kinds=(BREAK_CALL,),
    title="a call of torch._dynamo.graph_break()",
    fix="Remove the call; where it is torch's own, leave the code that leads to it to the caller.",
    keeps="The outputs.",
    instead_of=r"^Remove the `torch\._dynamo\.graph_break\(\)` call",
)

ASYNC = Advice(
    id="asynchronous-collective",
    kinds=(Kind("GB0172", "async_op=True for distributed collectives"),),
    title="a collective with async_op=True",
    fix="Leave out `async_op=True` and `wait()`: in a graph the collectives are asynchronous, and "
    "Inductor waits where the result is used.",
    keeps="The outputs.",
)

ADVICE = (FAKE, FAKE_SIZE, JACOBIAN, PRODUCTS, DISABLED, GRAPH_BREAK, ASYNC)
