"""Programs in which the state around a call changes."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from tests.compile.recompiles.table import Expected, program

compiled = functools.partial(torch.compile, backend="eager")
X = torch.ones(4)


@program(
    Expected("grad-mode", "grad_mode", "True", "False", "again",
             "same grad mode", "state"),
)  # fmt: skip
def grad_mode() -> None:
    """Validation behind training."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    with torch.no_grad():
        double(X)


@program(
    Expected("autocast", "autocast(cpu)_enabled", None, None, "again", "same autocast", "state"),
)  # fmt: skip
def autocast() -> None:
    """Mixed precision comes later."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    with torch.autocast("cpu", torch.bfloat16):
        double(X)


@program(
    Expected("default-dtype", "default_dtype", "torch.float32",
             "torch.float64", "again", "set_default_dtype", "state"),
)  # fmt: skip
def default_dtype() -> None:
    """Another default dtype."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    torch.set_default_dtype(torch.float64)
    try:
        double(X)
    finally:
        torch.set_default_dtype(torch.float32)


@program(
    Expected("deterministic", "deterministic_algorithms", "False",
             "True", "again", "use_deterministic_algorithms", "state"),
)  # fmt: skip
def deterministic() -> None:
    """Deterministic algorithms are asked for."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    torch.use_deterministic_algorithms(True)
    try:
        double(X)
    finally:
        torch.use_deterministic_algorithms(False)


@program(Expected("num-threads", "num_threads", "...", "...", "again", "set_num_threads", "state"))
def threads() -> None:
    """Another number of threads."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    number = torch.get_num_threads()
    double(X)
    torch.set_num_threads(number + 1)
    try:
        double(X)
    finally:
        torch.set_num_threads(number)


@program(
    Expected("global-state", "allow_tf32", "False", "True", "again",
             "Set torch.backends.cuda.matmul.allow_tf32 once", "state"),
)  # fmt: skip
def tf32() -> None:
    """Another part of the global state."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        double(X)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


@program(Expected("default-device", None, None, None, "again", "set_default_device", "state"))
def default_device() -> None:
    """Another default device."""

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    torch.set_default_device("meta")
    try:
        double(X)
    finally:
        torch.set_default_device(None)


@program(
    Expected("torch-function-mode", None, None, None, "again", "torch-function modes", "state")
)
def function_mode() -> None:
    """A mode around the call."""

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            return function(*args, **(kwargs or {}))

    @compiled
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(X)
    with Mode():
        double(X)


@program(
    Expected("training-flag", "self._modules['drop'].training", "True", "False", "again",
             "train() and eval()", "module-attribute"),
)  # fmt: skip
def training_flag() -> None:
    """``eval()`` behind ``train()``."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout()

        def forward(self, x: Tensor) -> Tensor:
            return self.drop(x) * 2

    net = Net()
    net.compile(backend="eager")
    net(X)
    net.eval()
    net(X)


@program(
    Expected("module-hooks", "self._modules['inner']._forward_hooks", "1", "0", "again",
             "Register all hooks", "module-attribute"),
)  # fmt: skip
def hooks() -> None:
    """A hook goes."""

    class Inner(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x * 2

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x) + 1

    net = Net()
    hook = net.inner.register_forward_hook(lambda module, inputs, output: output + 1)
    net.compile(backend="eager")
    net(X)
    hook.remove()
    net(X)


@program(Expected("backend", None, "...", "...", "again", "one backend object", "state"))
def another_backend() -> None:
    """The same function is compiled with a backend that is made anew."""

    def double(x: Tensor) -> Tensor:
        return x * 2

    def make() -> Callable[..., object]:
        return lambda graph, _inputs: graph.forward

    for _ in range(2):
        torch.compile(double, backend=make())(X)
