"""Steps of optimisers, compiled: foreach kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.exactness.kernel_cases.case import INFERENCE, Case, case


def _step(device: str, make: Callable[[Any], torch.optim.Optimizer]) -> Case:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    for parameter in module.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer = make(module.parameters())
    return Case(optimizer.step, (((), {}), ((), {})), passes=(INFERENCE,))


def adam(device: str) -> Case:
    return _step(device, lambda parameters: torch.optim.Adam(parameters, lr=1e-3))


def adamw_capturable(device: str) -> Case:
    return _step(device, lambda parameters: torch.optim.AdamW(
        parameters, lr=torch.tensor(1e-3, device=device), capturable=device != "cpu"))  # fmt: skip


def sgd_momentum(device: str) -> Case:
    return _step(device, lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9))


def rmsprop(device: str) -> Case:
    return _step(device, lambda parameters: torch.optim.RMSprop(parameters, lr=0.01))


def foreach_functions(device: str) -> Case:
    def function(*tensors: Tensor) -> list[Tensor]:
        half = len(tensors) // 2
        scaled = torch._foreach_mul(tensors[:half], 0.9)
        return torch._foreach_add(scaled, tensors[half:], alpha=0.1)

    shapes = [(64, 32), (32,), (128, 64), (5,)]
    tensors = [torch.randn(shape) for shape in shapes * 2]
    return case(device, function, *tensors, passes=(INFERENCE,))


def clipped_gradients(device: str) -> Case:
    def function(*gradients: Tensor) -> list[Tensor]:
        norms = torch._foreach_norm(gradients)
        total = torch.linalg.vector_norm(torch.stack(norms))
        return torch._foreach_mul(gradients, (1.0 / (total + 1e-6)).clamp(max=1.0))

    shapes = [(64, 32), (32,), (128, 64)]
    return case(device, function, *(torch.randn(shape) for shape in shapes), passes=(INFERENCE,))
