"""Gradients, parameters and hooks."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import PARAMETER
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


REQUIRES_GRAD = Advice(
    id="requires-grad",
    kinds=(
        Kind("GB0125", "Unsupported Tensor.requires_grad_() call"),
        Kind("GB0206", "setattr() on Tensor.requires_grad"),
        Kind("GB8985", "requires_grad_() intermediate leaked as output"),
    ),
    title="requires_grad changed in compiled code",
    fix="Change `requires_grad` in the caller, before the compiled function is called, if nothing "
    "above this line uses the tensor; else end the compiled function there.",
    keeps="The outputs, and what requires gradients.",
)

CREATE = Advice(
    id="create-with-requires-grad",
    kinds=(Kind("GB0225", "Attempted to use tensor creation function with requires_grad=True"),),
    title="a tensor created with requires_grad=True",
    fix="Create it in the caller, and pass it. Created once, it would gather the gradients of "
    "all calls.",
    keeps="The outputs and their gradients.",
)

LAYER = Advice(
    id="parameter",
    kinds=(PARAMETER,),
    title="a parameter or a layer made in compiled code",
    fix="Make it in `__init__`, once: a layer made in `forward` has new random weights in every "
    "call and is never trained.",
    keeps="The outputs; the parameter now is one of the module's.",
)


def _handles_hook(node: ast.expr) -> bool:
    """``x.register_forward_hook`` and the like, and ``handle.remove``."""
    return isinstance(node, ast.Attribute) and (
        node.attr == "remove" or (node.attr.startswith("register_") and node.attr.endswith("hook"))
    )


BACKWARD_HOOK = Advice(
    id="module-backward-hook",
    kinds=(Kind("GB0083", "Module-level backwards hooks require compiled autograd."),),
    title="a backward hook of a module",
    fix="Hook a tensor instead of the module: for a backward pre-hook its output, "
    "`y.register_hook(f)`; for a backward hook, which is about the gradient of the input, `x = "
    "x.view_as(x)` and that. `f` takes and returns a gradient, and changes nothing else.",
    holds_elsewhere=True,
    keeps="Outputs and gradients. A hook that stores what it sees breaks the graph here too.",
)

FORWARD_HOOK = Advice(
    id="hook-registered-inside",
    kinds=(
        Kind("GB0013", "Attempted to represent unregistered RemovableHandle"),
        Kind("GB0467", "setattr() on unsupported type"),
        Kind("GB0059", "Failed to trace builtin operator"),
    ),
    says=r"RemovableHandle|setattr",
    where=lambda code: code.has(_handles_hook),
    title="a hook registered in compiled code",
    fix="Register the hook in the caller, before the first compiled call; one that stays "
    "registered also runs in all other calls of the module.",
    keeps="The outputs; the hook stays registered.",
)

ADVICE = (
    BACKWARD,
    GRAD,
    GRAD_TRACED,
    GRAD_FN,
    RETAIN_GRAD,
    REQUIRES_GRAD,
    CREATE,
    LAYER,
    BACKWARD_HOOK,
    FORWARD_HOOK,
)
