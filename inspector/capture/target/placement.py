"""``--device`` and ``--dtype``: puts a model and its inputs where they were asked to be."""

from collections.abc import Callable
from typing import Any

import torch

from inspector.capture.compiled import module_of, uncompiled
from inspector.capture.target.call import Call
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.shared.dtypes import parse_model_dtype
from inspector.shared.near_matches import did_you_mean

_USUAL = ("cpu", "cuda", "cuda:0", "cuda:1", "mps", "xpu", "meta")


class Placement:
    """A device and a floating-point dtype, either of which may be left as it is."""

    def __init__(self, device: str | None, dtype: str | None) -> None:
        self.device = None if device is None else _device(device)
        torch_name = parse_model_dtype(dtype).torch_name if dtype is not None else ""
        self.dtype = getattr(torch, torch_name) if torch_name else None

    @property
    def maps_cuda(self) -> bool:
        """Whether CUDA requests of the target are mapped to the CPU."""
        return self.device is not None and self.device.type == "cpu"

    def put_model(self, function: Callable[..., Any]) -> None:
        """Moves the module that `function` is, or is a method of; other functions own nothing."""
        module = module_of(uncompiled(function))
        if module is not None and (self.device or self.dtype):
            module._apply(self._put)  # noqa: SLF001 - `to` would cast complex tensors too

    def put_call(self, call: Call) -> Call:
        """The call with its tensors moved; floating-point ones alone change their dtype."""
        if not self.device and not self.dtype:
            return call
        memo: dict[int, Any] = {}
        return call.mapped(lambda tensor: self._put_input(tensor, memo))

    def _put(self, tensor: Any) -> Any:
        # Elements of one byte are quantised: their scales are kept elsewhere.
        casts = tensor.is_floating_point() and tensor.element_size() > 1
        return tensor.to(device=self.device, dtype=self.dtype if casts else None)

    def _put_input(self, tensor: Any, memo: dict[int, Any]) -> Any:
        """A leaf again, once for each tensor: one passed twice stays one."""
        if id(tensor) in memo:
            return memo[id(tensor)]
        result = self._put(tensor.detach())
        if result.device == tensor.device and result.dtype == tensor.dtype:
            result = tensor
        else:
            result.requires_grad_(tensor.requires_grad)
            result.__dict__.update(tensor.__dict__)
        memo[id(tensor)] = result
        return result


def _device(text: str) -> torch.device:
    try:
        device = torch.device(text)
    except RuntimeError as error:
        raise UsageError(f"`{text}` is not a device.", did_you_mean(text, _USUAL)) from error
    try:
        torch.empty(0, device=device)
    except Exception as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise EnvironmentLacksError(
            f"The device `{text}` is not available: {reason}.",
            "Use `--device cpu`, or run it on a machine with that device.",
        ) from error
    return device
