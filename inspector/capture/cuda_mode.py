"""Maps CUDA requests that no source of the project shows, while a target is loaded.

A device may come from a configuration file or be asked for by an installed library. Such a request
fails where there is no CUDA; then, and only then, what failed is done again in this mode. It is
never on while a model runs: Dynamo would trace through it and guard on it.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DEVICE = re.compile(r"cuda(?::\d+)?")


class _CudaAsCpu(TorchFunctionMode):
    """Changes the devices in the arguments of torch's functions."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever torch's function returns
        named = {name: _as_cpu(value) for name, value in (kwargs or {}).items()}
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        if func is torch.Tensor.to and len(args) > 1 and type(args[1]) is int:
            args = (args[0], "cpu", *args[2:])
        if type(named.get("device")) is int:
            named["device"] = "cpu"
        if named.get("pin_memory"):
            named["pin_memory"] = False
        return func(*map(_as_cpu, args), **named)


def _as_cpu(value: object) -> object:
    if isinstance(value, str):
        return "cpu" if _DEVICE.fullmatch(value) else value
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def _nothing(*_: object, **__: object) -> None:
    """Stands for a function of ``torch.cuda`` that is called for its effect."""


@contextmanager
def cuda_as_cpu() -> Iterator[None]:
    """Maps CUDA requests to the CPU until the end of the ``with``."""
    load = torch.load

    def load_on_cpu(*args: object, **kwargs: object) -> object:
        wanted = kwargs.get("map_location")
        kwargs["map_location"] = "cpu" if wanted is None else _as_cpu(wanted)
        return load(*args, **kwargs)

    with (
        _CudaAsCpu(),
        mock.patch.multiple(
            torch.cuda,
            synchronize=_nothing,
            set_device=_nothing,
            reset_peak_memory_stats=_nothing,
            current_device=lambda: 0,
            is_available=lambda: True,
        ),
        mock.patch.object(torch, "load", load_on_cpu),
    ):
        yield
