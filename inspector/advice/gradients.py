"""Autograd inside of compiled code."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.one_function import CALLS_ALONE, under

BACKWARD = Advice(
    id="backward",
    kinds=(Kind("GB0123", "Unsupported Tensor.backward() call"),),
    title="backward() in compiled code",
    fix="Compile the forward pass alone and call `backward()` in the caller: the backward graph is "
    "compiled with it.",
    keeps="Loss and gradients.",
)

_SETTING = "trace_autograd_ops=True"

GRAD = Advice(
    id="autograd-grad",
    kinds=(
        Kind(
            "GB9186",
            "using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`",
        ),
    ),
    title="torch.autograd.grad in compiled code",
    fix="Differentiate a function instead of a tensor: `torch.func.grad(f)(x.detach())`, or "
    "`torch.func.grad_and_value(f)(x.detach())`, which Dynamo traces; without `detach()` where "
    "`create_graph=True` is.",
    keeps="Value and gradient, which has no history itself (hence `detach`).",
    instead_of=r"^Consider setting|^Move the autograd",
)

GRAD_TRACED = Advice(
    id="autograd-grad-traced",
    kinds=GRAD.kinds,
    title="torch.autograd.grad in compiled code, left where it is",
    fix=f"To leave it where it is: {under(_SETTING)}.",
    holds_elsewhere=True,
    keeps=f"Value and gradient. {CALLS_ALONE}",
    other_way_of=("autograd-grad",),
)

GRAD_FN = Advice(
    id="grad-fn",
    kinds=(Kind("GB0104", "Tensor with grad_fn()"),),
    title="reading grad_fn",
    fix="Ask `requires_grad`, which is known while tracing, instead of `grad_fn` of a tensor that "
    "an operator made.",
    keeps="The outputs, for tensors that an operator made (a leaf that requires gradients has no "
    "`grad_fn`).",
)

RETAIN_GRAD = Advice(
    id="retain-grad",
    kinds=(Kind("GB0108", "Tensor.retain_grad() with AOTDispatcher"),),
    title="retain_grad in compiled code",
    fix="End the compiled function at that tensor, call `retain_grad()` in the caller, and compile "
    "the rest as a second function.",
    keeps="Loss and gradients, in two graphs without a break.",
)

ADVICE = (BACKWARD, GRAD, GRAD_TRACED, GRAD_FN, RETAIN_GRAD)
