"""Whether what is profiled uses GPUs, and which."""

from __future__ import annotations

import functools

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
