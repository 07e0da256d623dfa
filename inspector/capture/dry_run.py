"""Whether a model accepts inputs, tried with tensors that have no memory."""

from __future__ import annotations

import contextlib
import io
import itertools
import logging
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)

from inspector.model.input_spec import (
    InputSpec,
    MappingSpec,
    SequenceSpec,
    Spec,
    TensorSpec,
    ValueSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def runs_with(function: Callable[..., Any], inputs: tuple[InputSpec, ...]) -> bool:
    """Whether a call of `function` with such inputs gets through, or as far as to need a value.

    Nothing is computed and no state changes: every tensor that the call meets is a fake one. What
    it prints is dropped.
    """
    device = _device_of(function)
    eager = torch.compiler.set_stance("force_eager")  # for the parts that are compiled
    with _silence(), eager, torch.no_grad(), FakeTensorMode(allow_non_fake_inputs=True):
        args = [_fake(spec.value, device) for spec in inputs if spec.name is None]
        kwargs = {spec.name: _fake(spec.value, device) for spec in inputs if spec.name}
        try:
            function(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            return True
        except Exception:  # noqa: BLE001 - whatever a wrong input makes the user's code raise
            return False
    return True


def _fake(spec: Spec, device: torch.device) -> Any:  # noqa: ANN401 - any argument
    match spec:
        case TensorSpec(dtype, shape):
            return torch.empty(shape, dtype=getattr(torch, dtype.torch_name), device=device)
        case SequenceSpec(items, is_tuple):
            made = [_fake(item, device) for item in items]
            return tuple(made) if is_tuple else made
        case MappingSpec(items):
            return {key: _fake(item, device) for key, item in items}
        case ValueSpec(value):
            return value


def _device_of(function: Any) -> torch.device:  # noqa: ANN401 - a module or a function
    module = getattr(function, "__self__", function)
    if not isinstance(module, torch.nn.Module):
        return torch.device("cpu")
    first = next(itertools.chain(module.parameters(), module.buffers()), None)
    return torch.device("cpu") if first is None else first.device


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Drops prints, and torch's own log of what a wrong input leads to."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    was_disabled, log.disabled = log.disabled, True
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        log.disabled = was_disabled
