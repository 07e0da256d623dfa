"""The compiler's own interface: disable, graph_break, nested compile, options."""

import torch
from torch import Tensor


@torch.compiler.disable
def disabled(x: Tensor) -> Tensor:
    """Runs eagerly, no reason given."""
    return x + 1


@torch.compiler.disable(reason="uses a custom kernel")
def disabled_with_reason(x: Tensor) -> Tensor:
    """Runs eagerly, and says why."""
    return x + 1


def helper(x: Tensor) -> Tensor:
    """Called by the disabled functions."""
    return x * 2


def calls_disabled(x: Tensor) -> Tensor:
    """Without a reason."""
    return disabled(x * 2) * 3


def calls_disabled_with_reason(x: Tensor) -> Tensor:
    """With a reason."""
    return disabled_with_reason(x * 2) * 3


def graph_break(x: Tensor) -> Tensor:
    """An explicit break."""
    x = x + 1
    torch._dynamo.graph_break()
    return x * 2


def graph_break_first(x: Tensor) -> Tensor:
    """An explicit break before the first operator."""
    torch._dynamo.graph_break()
    return x * 2


def step_unsupported(x: Tensor) -> Tensor:
    """torch's own way to skip the rest of a function."""
    x = x + 1
    torch._dynamo.step_unsupported()
    return x * 2


def skip_frame(x: Tensor) -> Tensor:
    """The frame asks to be skipped."""
    torch._dynamo.skip_frame()
    return x * 2


inner_compiled = torch.compile(helper, backend="eager")


def nested_compile(x: Tensor) -> Tensor:
    """A compiled function inside a compiled function: no break."""
    return inner_compiled(x) + 1


def compile_inside(x: Tensor) -> Tensor:
    """Calls torch.compile while being compiled."""
    return torch.compile(helper, backend="eager")(x) + 1


def set_grad_enabled(x: Tensor) -> Tensor:
    """Changes a global mode of torch: no break."""
    torch.set_grad_enabled(False)
    x = x + 1
    torch.set_grad_enabled(True)
    return x


already_compiled = torch.compile(graph_break, backend="eager")
