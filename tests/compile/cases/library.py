"""Parts of torch that Dynamo does not follow."""

import torch
from torch import Tensor, nn

LSTM = nn.LSTM(4, 4)
SCRIPTED = torch.jit.script(nn.Linear(4, 4))
LIBRARY = torch.library.Library("truth_cases", "DEF")
LIBRARY.define("plus_one(Tensor x) -> Tensor")
LIBRARY.impl("plus_one", lambda x: x + 1, "CPU")


def lstm(x: Tensor) -> Tensor:
    """A recurrent layer."""
    return LSTM(x[None])[0] + 1


def scripted(x: Tensor) -> Tensor:
    """A TorchScript module."""
    return SCRIPTED(x) + 1


def custom_operator(x: Tensor) -> Tensor:
    """An operator registered without a fake version."""
    return torch.ops.truth_cases.plus_one(x * 2) + 1


def jacobian(x: Tensor) -> Tensor:
    """The old functional interface."""
    return torch.autograd.functional.jacobian(lambda y: y * 2, x) + 1


def build_layer(x: Tensor) -> Tensor:
    """A layer made while compiling."""
    return nn.Linear(4, 4)(x) + 1


def save(x: Tensor) -> Tensor:
    """Writing a file."""
    y = x + 1
    torch.save(y, "/dev/null")
    return y * 2


def data_parallel(x: Tensor) -> Tensor:
    """An old wrapper, made while compiling."""
    return nn.DataParallel(nn.Linear(4, 4))(x) + 1


def storage(x: Tensor) -> Tensor:
    """The storage under a tensor."""
    return x + x.untyped_storage().nbytes()


def pack(x: Tensor) -> Tensor:
    """Packed sequences."""
    lengths = torch.tensor([4])
    return nn.utils.rnn.pack_padded_sequence(x[None], lengths, batch_first=True).data + 1


def membership(x: Tensor) -> Tensor:
    """``in`` reads every value."""
    return x + (1 if 3.0 in x else 0)


def equal(x: Tensor) -> Tensor:
    """``Tensor.equal`` gives a Python value."""
    return x + (1 if x.equal(x * 2) else 0)


def close(x: Tensor) -> Tensor:
    """And so does ``torch.allclose``."""
    return x + (1 if torch.allclose(x, x * 2) else 0)


def sort_tensors(x: Tensor) -> Tensor:
    """Python's sort compares values."""
    return sorted([x.sum(), x.min()])[0] + x


def return_context(x: Tensor) -> tuple[object, Tensor]:
    """An object that cannot be rebuilt outside the graph."""
    return torch.no_grad().clone, x + 1


def profile(x: Tensor) -> Tensor:
    """The profiler is left out silently: no break."""
    with torch.profiler.record_function("part"):
        x = x + 1
    return x * 2


def inference_mode(x: Tensor) -> Tensor:
    """Inference mode is traced: no break."""
    with torch.inference_mode():
        x = x + 1
    return x * 2
