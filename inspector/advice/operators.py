"""Operators of one's own, and derivatives of functions."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import DATA_DEPENDENT, ITEM
from inspector.advice.one_function import BY_ITSELF, CALLS_ALONE, decorated, under

_CAPTURE = "capture_dynamic_output_shape_ops=True"
_DEFINED = """\
import torch

library = torch.library.Library("mine", "FRAGMENT")
library.define("plus(Tensor x, float y) -> Tensor")
library.impl("plus", lambda x, y: x + y, "CPU")


@torch.compile
def forward(x):
    return torch.ops.mine.plus(x * 2, 1.0).relu()


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
"""

FAKE = Advice(
    id="operator-without-fake",
    kinds=(Kind("GB0090", "Operator does not support running with fake tensors"),),
    says=r"unsupported operator: (?!aten|prim)",
    title="an operator of an extension that has no fake implementation",
    fix='Register what its output looks like: `@torch.library.register_fake("mine::plus")` on a '
    "function that returns an empty tensor of the right shape, dtype and device; and its gradient, "
    "with `torch.library.register_autograd`, or a compiled call has none.",
    before=_DEFINED,
    after=_DEFINED.replace(
        "@torch.compile\n",
        '@torch.library.register_fake("mine::plus", lib=library)\n'
        "def _(x, y):\n    return torch.empty_like(x)\n\n\n"
        "def backward(context, gradient):\n    return gradient, None\n\n\n"
        'torch.library.register_autograd("mine::plus", backward, lib=library)\n\n\n'
        "@torch.compile\n",
    ),
    keeps="The outputs and gradients; the operator is called from the graph.",
    instead_of=r"docs\.google\.com",
)

_KEPT = """\
import torch


@torch.library.custom_op("mine::kept", mutates_args=())
def kept(x: torch.Tensor) -> torch.Tensor:
    return x[: int(x.sum())].clone()


@kept.register_fake
def _(x):
    size = int(x.sum())
    return x.new_empty(size)


@torch.compile
def forward(x):
    return kept(x * 2).sum()


outputs = [forward(x) for x in (torch.ones(5), torch.tensor([1.0, 0.0, 1.0, 1.0, 1.0]))]
"""
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
    before=_KEPT,
    after=decorated(
        _KEPT.replace("int(x.sum())\n    return", f"{_NEW_SIZE}\n    return"), _CAPTURE
    ),
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
    before="""\
import torch


@torch.compile
def forward(x):
    return torch.autograd.functional.jacobian(lambda y: y * y, x) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    return torch.func.jacrev(lambda y: y * y)(x.detach()) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs, which have no history (hence `detach`).",
)

_PRODUCTS = ("functional.hvp", "functional.jvp", "functional.vhp", "functional.vjp")
_JVP = """\
import torch


@torch.compile
def forward(x, v):
    value, product = torch.autograd.functional.jvp(lambda y: y.sin(), x, v)
    return value + product


outputs = [forward(x, torch.ones(3)) for x in (torch.ones(3), torch.arange(3.0))]
"""

PRODUCTS = Advice(
    id="autograd-functional-products",
    kinds=JACOBIAN.kinds,
    where=lambda code: code.has(lambda node: dotted_name(node).endswith(_PRODUCTS)),
    title="a product with a derivative, of torch.autograd.functional",
    fix="Use `torch.func`, which is traced: `torch.func.jvp(f, (x,), (v,))` instead of "
    "`jvp(f, x, v)`; `value, pull = torch.func.vjp(f, x)` and `pull(v)[0]` instead of "
    "`vjp(f, x, v)`; for `hvp`, `torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]` (`vhp` is the "
    "same where second derivatives are continuous).",
    before=_JVP,
    after=_JVP.replace(
        "torch.autograd.functional.jvp(lambda y: y.sin(), x, v)",
        "torch.func.jvp(lambda y: y.sin(), (x.detach(),), (v.detach(),))",
    ),
    keeps="The outputs, which have no history unless `create_graph=True` is: hence `detach` of "
    "what goes in.",
)

ADVICE = (FAKE, FAKE_SIZE, JACOBIAN, PRODUCTS)
