"""Whether what is profiled uses a GPU."""

from __future__ import annotations

import functools

import torch

__all__ = ["uses_cuda", "wait"]


@functools.cache
def uses_cuda() -> bool:
    """Whether the target has put anything on a GPU; to be asked after its first call.

    That CUDA is at work says nothing: torch may have looked at what GPUs there are.
    """
    if not (torch.cuda.is_available() and torch.cuda.is_initialized()):
        return False
    return any(torch.cuda.max_memory_allocated(at) > 0 for at in range(torch.cuda.device_count()))


def wait() -> None:
    """Waits until the device is done with what it was given."""
    if uses_cuda():
        torch.cuda.synchronize()
