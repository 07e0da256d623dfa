"""Parts of torch that Dynamo does not follow."""

import torch
from torch import Tensor, nn

LSTM = nn.LSTM(4, 4)
LIBRARY = torch.library.Library("truth_cases", "DEF")
LIBRARY.define("plus_one(Tensor x) -> Tensor")
LIBRARY.impl("plus_one", lambda x: x + 1, "CPU")


def lstm(x: Tensor) -> Tensor:
    """A recurrent layer."""
    return LSTM(x[None])[0] + 1


def custom_operator(x: Tensor) -> Tensor:
    """An operator registered without a fake version."""
    return torch.ops.truth_cases.plus_one(x * 2) + 1


def save(x: Tensor) -> Tensor:
    """Writing a file."""
    y = x + 1
    torch.save(y, "/dev/null")
    return y * 2


def return_context(x: Tensor) -> tuple[object, Tensor]:
    """An object that cannot be rebuilt outside the graph."""
    return torch.no_grad().clone, x + 1


def profile(x: Tensor) -> Tensor:
    """The profiler is left out silently: no break."""
    with torch.profiler.record_function("part"):
        x = x + 1
    return x * 2
