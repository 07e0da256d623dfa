"""The memory of one warm call: what is there, and how much there is at most."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any

import torch

from inspector.capture.calls.reachable import Reachable
from inspector.capture.profiling.allocations import watched_memory
from inspector.capture.profiling.device import cuda_devices, uses_cuda, wait
from inspector.capture.target.call import PreparedCall

_ROUNDED_TO = 512  # c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize


def peak_of(
    prepare: Callable[[], PreparedCall], function: Callable[..., object], kept: Iterable[Any] = ()
) -> Mapping[str, int]:
    """Bytes by name, of one call.

    ``base`` is there before the call: the model, its inputs, and what else the program keeps;
    ``peak_allocated`` and ``peak_reserved`` are the most that there is in it (the latter on a GPU
    alone). ``pools`` is what CUDA graphs reserved for themselves; a replay writes to it without
    asking the allocator, so that all of it counts in ``peak_allocated``, too.

    Args:
        kept: Tensors that are there for the measurement alone: the program would not have them, and
            they do not count.
    """
    if not uses_cuda():
        return _on_cpu(prepare, function)
    # As a GPU's allocator rounds it up.
    sizes = _sizes(tensor for tensor in kept if tensor.device.type == "cuda")
    return _on_gpu(prepare, sum(-(-size // _ROUNDED_TO) * _ROUNDED_TO for size in sizes))


def _sizes(tensors: Iterable[Any]) -> list[int]:
    """The size of each storage that tensors have, in bytes."""
    found: dict[int, int] = {}
    for tensor in tensors:
        # A tensor of another kind has no memory of its own.
        with contextlib.suppress(RuntimeError, NotImplementedError):
            storage = tensor.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
    return list(found.values())


def _on_gpu(prepare: Callable[[], PreparedCall], held: int) -> Mapping[str, int]:
    call = prepare()
    gc.collect()
    wait()
    torch.cuda.empty_cache()  # what is reserved is to be the call's
    devices = cuda_devices()
    for at in devices:
        torch.cuda.reset_peak_memory_stats(at)
    base = sum(torch.cuda.memory_allocated(at) for at in devices) - held
    call()
    wait()
    reserved, allocated = _pools()
    peak = sum(torch.cuda.max_memory_allocated(at) for at in devices) - held
    return {
        "base": base,
        "peak_allocated": peak + reserved - allocated,
        "peak_reserved": sum(torch.cuda.max_memory_reserved(at) for at in devices) - held,
        "pools": reserved,
    }


def _pools() -> tuple[int, int]:
    """What the pools of CUDA graphs have reserved, and how much of it the allocator knows of.

    The default pool is called (0, 0).
    """
    found = [
        segment
        for segment in torch.cuda.memory_snapshot()
        if tuple(segment.get("segment_pool_id") or (0, 0)) != (0, 0)
    ]
    reserved = sum(int(segment["total_size"]) for segment in found)
    return reserved, sum(int(segment["allocated_size"]) for segment in found)


def _on_cpu(
    prepare: Callable[[], PreparedCall], function: Callable[..., object]
) -> Mapping[str, int]:
    """By torch's own allocator; what C libraries ask for themselves is not seen."""
    # What a call leaves behind is freed when the next one replaces it: it is to be seen then.
    with watched_memory():
        prepare()()
    call = prepare()
    gc.collect()
    reached = Reachable(function)
    tensors = [it for one in reached.modules for it in (*one.parameters(), *one.buffers())]
    tensors += [item.grad for item in tensors if item.grad is not None]
    tensors += (*reached.tensors, *call.arguments.tensors)
    base = sum(_sizes(item for item in tensors if item.layout is torch.strided))
    with watched_memory() as found:
        call()
    running = accumulate((event.bytes_ for event in found.events), initial=0)
    return {"base": base, "peak_allocated": base + max(running)}
