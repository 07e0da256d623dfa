"""Whether what is profiled uses GPUs, and which."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch


@functools.cache
def cuda_devices() -> tuple[int, ...]:
    """The GPUs that the target has put anything on; to be asked after its first call.

    That CUDA is at work says nothing: torch may have looked at what GPUs there are.
    """
    if not (torch.cuda.is_available() and torch.cuda.is_initialized()):
        return ()
    every = range(torch.cuda.device_count())
    return tuple(at for at in every if torch.cuda.max_memory_allocated(at) > 0)


def uses_cuda() -> bool:
    """Whether the target has put anything on a GPU; to be asked after its first call."""
    return bool(cuda_devices())


def wait() -> None:
    """Waits until the devices are done with what they were given."""
    devices = cuda_devices()
    if len(devices) == 1 and devices[0] == torch.cuda.current_device():
        torch.cuda.synchronize()  # to name the device takes microseconds of what is timed
    else:
        for at in devices:
            torch.cuda.synchronize(at)


def waiting() -> Callable[[], object]:
    """What does the same as `wait`; what there is to wait for is looked up once, not in each call.

    To be asked after the first call. To look takes 1 or 2 microseconds.
    """
    devices = cuda_devices()
    if not devices:
        return _nothing
    # Where there are several, a call can leave another one behind as the current one.
    return torch.cuda.synchronize if torch.cuda.device_count() == 1 else wait


def _nothing() -> None:
    pass
