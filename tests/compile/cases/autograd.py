"""Differentiation, hooks and optimizers inside what is compiled; --train."""

from typing import Any

import torch
from torch import Tensor, nn


def backward_inside(x: Tensor) -> Tensor:
    """Calls backward while compiling."""
    x = x.detach().requires_grad_()
    (x * x).sum().backward()
    return x.grad


def requires_grad(x: Tensor) -> Tensor:
    """Turns gradients on for an input."""
    x.requires_grad_()
    return x * 2


def grad_inside(x: Tensor) -> Tensor:
    """torch.autograd.grad of an intermediate."""
    weight = torch.ones(4, 4, requires_grad=True)
    (gradient,) = torch.autograd.grad((x * weight).sum(), weight)
    return gradient + 1


def functional_grad(x: Tensor) -> Tensor:
    """torch.func is traced: no break."""
    return torch.func.grad(lambda y: (y * y).sum())(x)


class Step(nn.Module):
    """A whole training step."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Loss, backward and update in one function."""
        loss = self.layer(x).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


class Noisy(torch.autograd.Function):
    """A custom function whose forward prints."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Print, then double."""
        print("forward")
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """Double the gradient."""
        return gradient * 2


class NoisyBackward(torch.autograd.Function):
    """A custom function whose backward prints."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Double."""
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """Print, then double the gradient."""
        print("backward")
        return gradient * 2


class CustomFunction(nn.Module):
    """Uses the function that prints in its forward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it between two operators."""
        return Noisy.apply(self.layer(x)) + 1


class CustomBackward(nn.Module):
    """Uses the function that prints in its backward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it between two operators."""
        return NoisyBackward.apply(self.layer(x)) + 1


class TensorHook(nn.Module):
    """Registers a hook on an activation."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """The hook prints when gradients flow."""
        y = self.layer(x)
        y.register_hook(lambda gradient: print("gradient"))
        return y * 2


class TrainOnly(nn.Module):
    """Breaks in training mode alone."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Log while training."""
        y = self.layer(x)
        if self.training:
            print("training", y.mean().item())
        return y * 2


evaluated = TrainOnly().eval()


def backward_hook(module: nn.Module, before: object, after: object) -> None:
    """A full backward hook that prints."""
    print("module gradient")


hooked = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
hooked[0].register_full_backward_hook(backward_hook)
