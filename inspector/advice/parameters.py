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
    before="""\
import torch

layer = torch.nn.Linear(3, 2)
torch.nn.init.ones_(layer.weight)
torch.nn.init.zeros_(layer.bias)


@torch.compile
def forward(x):
    layer.weight.requires_grad = False
    return layer(x)


outputs = [(forward(x), layer.weight.requires_grad) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

layer = torch.nn.Linear(3, 2)
torch.nn.init.ones_(layer.weight)
torch.nn.init.zeros_(layer.bias)


@torch.compile
def compute(x):
    return layer(x)


def forward(x):
    layer.weight.requires_grad = False
    return compute(x)


outputs = [(forward(x), layer.weight.requires_grad) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs, and what requires gradients.",
)

CREATE = Advice(
    id="create-with-requires-grad",
    kinds=(Kind("GB0225", "Attempted to use tensor creation function with requires_grad=True"),),
    title="a tensor created with requires_grad=True",
    fix="Create it in the caller, and pass it. Created once, it would gather the gradients of "
    "all calls.",
    before="""\
import torch


@torch.compile
def forward(x):
    bias = torch.zeros(3, requires_grad=True)
    return (x + bias).square()


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def compute(x, bias):
    return (x + bias).square()


def forward(x):
    return compute(x, torch.zeros(3, requires_grad=True))


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs and their gradients.",
)

LAYER = Advice(
    id="parameter",
    kinds=(PARAMETER,),
    title="a parameter or a layer made in compiled code",
    fix="Make it in `__init__`, once: a layer made in `forward` has new random weights in every "
    "call and is never trained.",
    before="""\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        scale = torch.nn.Parameter(torch.full((3,), 2.0))
        return x * scale


model = torch.compile(Model())
outputs = [model(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x):
        return x * self.scale


model = torch.compile(Model())
outputs = [model(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs; the parameter now is one of the module's.",
)

ADVICE = (REQUIRES_GRAD, CREATE, LAYER)
