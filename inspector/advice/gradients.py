"""Autograd inside of compiled code."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.one_function import CALLS_ALONE, decorated, under

BACKWARD = Advice(
    id="backward",
    kinds=(Kind("GB0123", "Unsupported Tensor.backward() call"),),
    title="backward() in compiled code",
    fix="Compile the forward pass alone and call `backward()` in the caller: the backward graph is "
    "compiled with it.",
    before="""\
import torch

weight = torch.ones(3, requires_grad=True)


@torch.compile
def step(x):
    loss = (x * weight).square().sum()
    loss.backward()
    return loss.detach()


outputs = [(step(x), weight.grad.clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

weight = torch.ones(3, requires_grad=True)


@torch.compile
def compute(x):
    return (x * weight).square().sum()


def step(x):
    loss = compute(x)
    loss.backward()
    return loss.detach()


outputs = [(step(x), weight.grad.clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Loss and gradients.",
)

_GRAD = """\
import torch


@torch.compile
def forward(x):
    energy = (x**3).sum()
    (force,) = torch.autograd.grad(energy, x)
    return energy.detach(), force


outputs = [forward(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
"""
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
    before=_GRAD,
    after="""\
import torch


def energy_of(x):
    return (x**3).sum()


@torch.compile
def forward(x):
    force, energy = torch.func.grad_and_value(energy_of)(x.detach())
    return energy, force


outputs = [forward(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
""",
    keeps="Value and gradient, which has no history itself (hence `detach`).",
    instead_of=r"^Consider setting|^Move the autograd",
)

GRAD_TRACED = Advice(
    id="autograd-grad-traced",
    kinds=GRAD.kinds,
    title="torch.autograd.grad in compiled code, left where it is",
    fix=f"Put {under(_SETTING)}.",
    before=_GRAD,
    after=decorated(_GRAD, _SETTING),
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
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y.detach() if y.grad_fn is not None else y + 1


outputs = [forward(torch.ones(3, requires_grad=grad)) for grad in (True, False)]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y.detach() if y.requires_grad else y + 1


outputs = [forward(torch.ones(3, requires_grad=grad)) for grad in (True, False)]
""",
    keeps="The outputs, for tensors that an operator made (a leaf that requires gradients has no "
    "`grad_fn`).",
)

RETAIN_GRAD = Advice(
    id="retain-grad",
    kinds=(Kind("GB0108", "Tensor.retain_grad() with AOTDispatcher"),),
    title="retain_grad in compiled code",
    fix="End the compiled function at that tensor, call `retain_grad()` in the caller, and compile "
    "the rest as a second function.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    y.retain_grad()
    return y, y.square().sum()


def run(x):
    y, loss = forward(x)
    loss.backward()
    return loss.detach(), y.grad


outputs = [run(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
""",
    after="""\
import torch


@torch.compile
def first(x):
    return x * 2


@torch.compile
def second(y):
    return y.square().sum()


def run(x):
    y = first(x)
    y.retain_grad()
    loss = second(y)
    loss.backward()
    return loss.detach(), y.grad


outputs = [run(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
""",
    keeps="Loss and gradients, in two graphs without a break.",
)

ADVICE = (BACKWARD, GRAD, GRAD_TRACED, GRAD_FN, RETAIN_GRAD)
