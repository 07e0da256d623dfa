"""Hooks of modules."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind


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
    before="""\
import torch

layer = torch.nn.Linear(2, 2, bias=False)
torch.nn.init.ones_(layer.weight)
layer.register_full_backward_pre_hook(lambda module, gradients: (gradients[0].clamp(-1, 1),))


@torch.compile
def forward(x):
    return layer(x) * 2


def run(x):
    result = forward(x)
    result.sum().backward()
    return result.detach(), x.grad


outputs = [run(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
""",
    after="""\
import torch

layer = torch.nn.Linear(2, 2, bias=False)
torch.nn.init.ones_(layer.weight)


@torch.compile
def forward(x):
    y = layer(x)
    y.register_hook(lambda gradient: gradient.clamp(-1, 1))
    return y * 2


def run(x):
    result = forward(x)
    result.sum().backward()
    return result.detach(), x.grad


outputs = [run(torch.tensor(x, requires_grad=True)) for x in ([1.0, 2.0], [0.0, -1.0])]
""",
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
    before="""\
import torch

layer = torch.nn.Linear(2, 2, bias=False)
torch.nn.init.ones_(layer.weight)


@torch.compile
def forward(x):
    seen = []
    handle = layer.register_forward_hook(lambda module, inputs, output: seen.append(output))
    result = layer(x) * 2
    handle.remove()
    return result, seen[0]


outputs = [forward(x) for x in (torch.ones(2), torch.arange(2.0))]
""",
    after="""\
import torch

layer = torch.nn.Linear(2, 2, bias=False)
torch.nn.init.ones_(layer.weight)
seen = []
layer.register_forward_hook(lambda module, inputs, output: seen.append(output))


@torch.compile
def forward(x):
    seen.clear()
    result = layer(x) * 2
    return result, seen[0]


outputs = [forward(x) for x in (torch.ones(2), torch.arange(2.0))]
""",
    keeps="The outputs; the hook stays registered.",
)

ADVICE = (BACKWARD_HOOK, FORWARD_HOOK)
