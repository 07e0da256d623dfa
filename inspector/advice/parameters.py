"""What requires gradients, and who knows their history."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import PARAMETER

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

ADVICE = (REQUIRES_GRAD, CREATE, LAYER)
