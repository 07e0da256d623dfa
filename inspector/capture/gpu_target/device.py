"""Everything in torch that asks for the device gets the target's answer."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch._utils_internal
import triton
from torch._dynamo import device_interface
from torch._inductor import scheduler
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.hints import DeviceProperties

from inspector.capture.gpu_target.properties import TargetDriver, device_properties
from inspector.model.gpus import Gpu

_Memo = type(functools.lru_cache(lambda: None))
# Modules whose memos may hold answers about a device, and functions there that are to run once.
_MEMOS = ("torch._inductor", "torch.utils._triton", "torch._utils_internal")
_ONCE = ("init", "register", "pattern", "config", "code_hash", "system", "cache_dir")

# Functions of the CUDA build that Inductor asks while it compiles, and what they say.
_IN_CPP = {"_cuda_cudaCachingAllocator_is_enabled": lambda: True}


@contextmanager
def answers_of(gpu: Gpu) -> Iterator[None]:
    """Torch and Triton believe that the only device is a GPU, inside of the ``with``."""
    properties = device_properties(gpu)
    driver = triton.runtime.driver
    active = driver.__dict__.get("_active"), driver.__dict__.get("_default")
    _forget()
    with ExitStack() as stack:
        for owner, name, value in _answers(gpu, properties):
            if hasattr(owner, name):
                stack.enter_context(mock.patch.object(owner, name, value))
        for name, value in _IN_CPP.items():
            # The CPU build has none of them.
            stack.enter_context(mock.patch.object(torch._C, name, value, create=True))  # noqa: SLF001
        stack.callback(_forget)
        stack.callback(driver.__dict__.update, {"_active": active[0], "_default": active[1]})
        driver.set_active(TargetDriver(gpu))
        yield


def _answers(gpu: Gpu, properties: object) -> list[tuple[object, str, Any]]:
    capability = gpu.capability
    cuda: dict[str, Any] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "is_initialized": lambda: True,
        "_lazy_init": _nothing,
        "synchronize": _nothing,
        "set_device": _nothing,
        "_exchange_device": lambda _device: 0,
        "_maybe_exchange_device": lambda _device: 0,
        "get_device_properties": lambda *_: properties,
        "get_device_capability": lambda *_: capability,
        "get_device_name": lambda *_: gpu.name,
        "get_arch_list": lambda: [f"sm_{gpu.arch}"],
        "is_bf16_supported": lambda *_, **__: capability >= (8, 0),
        "is_tf32_supported": lambda: capability >= (8, 0),
        "mem_get_info": lambda *_: (gpu.memory_bytes, gpu.memory_bytes),
        # They are kept around a trace, so that it leaves the generator as it was.
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": _nothing,
    }
    interface = {
        "is_available": staticmethod(lambda: True),
        "current_device": staticmethod(lambda: 0),
        "device_count": staticmethod(lambda: 1),
        "synchronize": staticmethod(_nothing),
        "get_device_properties": staticmethod(lambda *_: properties),
        "get_compute_capability": staticmethod(lambda *_: gpu.arch),
        "is_bf16_supported": staticmethod(lambda *_, **__: capability >= (8, 0)),
        "is_triton_capable": staticmethod(lambda *_: True),
        "raise_if_triton_unavailable": staticmethod(_nothing),
    }
    return [
        *((torch.cuda, name, value) for name, value in cuda.items()),
        *((device_interface.CudaInterface, name, value) for name, value in interface.items()),
        (device_interface.CudaInterface.Worker, "get_device_properties",
         staticmethod(lambda *_: properties)),
        (device_interface.CudaInterface.Worker, "current_device", staticmethod(lambda: 0)),
        # Only asked for the current stream, of which there is none.
        (torch.accelerator, "is_available", lambda: False),
        (torch.version, "cuda", torch.version.cuda or "13.0"),
        (torch._utils_internal, "max_clock_rate", lambda: gpu.clock_hz // 1_000_000),  # noqa: SLF001
        (scheduler, "has_triton", lambda *_: True),
        (triton_helpers, "set_driver_to_gpu", _nothing),
    ]  # fmt: skip


def _nothing(*_: object, **__: object) -> None:
    """Stands for what is done for its effect on the device."""


def _forget() -> None:
    """Empties the memos of Inductor's functions, before and after: they may be about a device."""
    for name, module in list(sys.modules.items()):
        if not name.startswith(_MEMOS) or module is None:
            continue
        for function in list(vars(module).values()):
            if isinstance(function, _Memo) and not any(w in function.__name__ for w in _ONCE):
                function.cache_clear()
    DeviceProperties.create.cache_clear()
