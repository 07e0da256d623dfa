"""Breaks in modules: children of containers, hooks, loops over layers."""

import torch
from torch import Tensor, nn


class Noisy(nn.Module):
    """A layer that prints."""

    def forward(self, x: Tensor) -> Tensor:
        """Break, then work."""
        print("noisy")
        return x + 1


class SequentialChildren(nn.Module):
    """Two children of one Sequential break at the same line."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), Noisy(), nn.ReLU(), Noisy())

    def forward(self, x: Tensor) -> Tensor:
        """Run them all."""
        return self.layers(x)


class LayerLoop(nn.Module):
    """A print in the loop over the layers: the whole frame is given up."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        """Print after each layer."""
        for layer in self.layers:
            x = torch.relu(layer(x))
            print("layer")
        return x * 2


class LoopOverNoisy(nn.Module):
    """A loop over children that break: parent and children are seen apart."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Noisy() for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        """Call each child."""
        for layer in self.layers:
            x = layer(x)
        return x * 2


class CalledTwice(nn.Module):
    """The same child on two lines."""

    def __init__(self) -> None:
        super().__init__()
        self.noisy = Noisy()

    def forward(self, x: Tensor) -> Tensor:
        """Call it twice."""
        y = self.noisy(x)
        return self.noisy(y * 2)


class Nested(nn.Module):
    """A block in a block in a block."""

    def __init__(self) -> None:
        super().__init__()
        self.outer = nn.Sequential(nn.Sequential(nn.Linear(4, 4), CalledTwice()), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        """Add to what the block gives."""
        return self.outer(x) + x


def say(*_: object) -> None:
    """A hook that prints."""
    print("hook")


hooked = nn.Linear(4, 4)
hooked.register_forward_hook(say)

pre_hooked = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
pre_hooked[0].register_forward_pre_hook(say)


class DisabledChild(nn.Module):
    """A child whose forward must not be compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(4, 4)

    @torch.compiler.disable(reason="custom kernel")
    def helper(self, x: Tensor) -> Tensor:
        """Runs eagerly."""
        return x * 3

    def forward(self, x: Tensor) -> Tensor:
        """Work on both sides of the disabled method."""
        return self.helper(self.head(x)) + 1


class Clean(nn.Module):
    """Nothing breaks here."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x: Tensor) -> Tensor:
        """A small network."""
        return torch.softmax(self.layers(x), dim=-1)


class Counting(nn.Module):
    """Changes its own attributes: guards, but no break."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.zeros(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        """Count and accumulate."""
        self.calls += 1
        self.total += x
        return self.total * 2
