"""The memory of a warm call: how much at most, and what that is; with the compiler and without.

One call of each is watched, after all that is timed. On a GPU the allocator says how much was
allocated and reserved; on the CPU there is what torch's own allocator gives to tensors.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from inspector.capture.calls.reachable import Reachable
from inspector.capture.profiling.allocations import (
    Allocations,
    Captured,
    Layout,
    layout,
    watched_memory,
)
from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.target.call import Call, PreparedCall
from inspector.capture.target.target import Target
from inspector.capture.writer import emit
from inspector.records.memory_profile import HeldBlock, KnownTensor, MemoryProfile, MemorySide

_MOST_EVENTS = 200_000
_MOST_TEXT = 300
_Known: TypeAlias = dict[int, tuple[KnownTensor, int]]
"""Tensors by the address of their storage, and the bytes of that."""


def profile_memory(
    index: int,
    run: Callable[[], PreparedCall],
    eager: Callable[[], PreparedCall],
    target: Target,
    captured: Captured | None = None,
) -> None:
    """Measures a warm call each and writes ``inspector_memory_profile``."""
    sides: dict[str, MemorySide] = {}
    try:
        sides["compiled"] = _side(run, target)
        with torch.compiler.set_stance("force_eager"):
            sides["eager"] = _side(eager, target)
    finally:
        emit(
            MemoryProfile(
                index,
                "cuda" if uses_cuda() else "cpu",
                _other_devices(),
                **sides,
                captured=_captured(captured, target),
            )
        )


def _other_devices() -> int:
    """How many other GPUs have tensors: they are not looked at."""
    if not uses_cuda():
        return 0
    here = torch.cuda.current_device()
    others = (at for at in range(torch.cuda.device_count()) if at != here)
    return sum(torch.cuda.max_memory_allocated(at) > 0 for at in others)


def _side(run: Callable[[], PreparedCall], target: Target) -> MemorySide:
    # The CPU's allocator tells only of those blocks that they are freed that it gave while it was
    # watched: what a call leaves behind is to be among them when the next one replaces it. On a GPU
    # libraries ask for their workspaces again: capturing a CUDA graph takes them away.
    unseen = contextlib.nullcontext() if uses_cuda() else watched_memory()
    with contextlib.suppress(Exception), unseen:
        run()()
    call = run()
    gc.collect()  # what is garbage already must not go in the call
    wait()
    layout_before, stats_before = _memory_now()
    known = _known(target, call.arguments)
    failed = ""
    with watched_memory() as allocations:
        try:
            call()
            wait()
        except Exception as error:  # noqa: BLE001 - out of memory, say: what was seen is said
            failed = f"{type(error).__name__}: {error}"[:_MOST_TEXT]
    layout_after, stats_after = _memory_now(is_end=True)
    return dataclasses.replace(
        _events(allocations, _known(target, call.arguments)),
        held=tuple(_held(layout_before, known)),
        segments=layout_after.segments,
        stats=_stats(stats_before, stats_after),
        failed=failed,
    )


def _events(allocations: Allocations, left: _Known) -> MemorySide:
    """What a call allocated; at its end `left` is there."""
    own = {event.address for event in allocations.events if event.bytes_ > 0}
    return MemorySide(
        events=tuple(allocations.events[:_MOST_EVENTS]),
        cut=max(0, len(allocations.events) - _MOST_EVENTS),
        places=tuple(allocations.places),
        left={address: tensor for address, (tensor, _) in left.items() if address in own},
    )


def _memory_now(*, is_end: bool = False) -> tuple[Layout, dict[str, int]]:
    """The allocator's state before a call, from which peaks count, or after it; none of the CPU."""
    if not uses_cuda():
        return Layout(), {}
    if not is_end:
        torch.cuda.empty_cache()  # what is reserved is to be the call's
        torch.cuda.reset_peak_memory_stats()
    return layout(), dict(torch.cuda.memory_stats())


def _stats(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    if not before:
        return {}
    return {
        "allocated_before": before.get("allocated_bytes.all.current", 0),
        "allocated_peak": after.get("allocated_bytes.all.peak", 0),
        "reserved_before": before.get("reserved_bytes.all.current", 0),
        "reserved_peak": after.get("reserved_bytes.all.peak", 0),
        "retries": after.get("num_alloc_retries", 0) - before.get("num_alloc_retries", 0),
        "ooms": after.get("num_ooms", 0) - before.get("num_ooms", 0),
    }


def _captured(captured: Captured | None, target: Target) -> MemorySide | None:
    if captured is None or not captured.is_known:
        return None
    return dataclasses.replace(
        _events(captured.allocations, _known(target, Call())),
        held=tuple(_held(captured.before, {})),
        segments=captured.after.segments,
    )


def _held(before: Layout, known: _Known) -> Iterator[HeldBlock]:
    if not before.segments:  # the CPU's allocator does not say what it has given
        for tensor, bytes_ in known.values():
            yield HeldBlock(tensor.address, bytes_, tensor.what)
        return
    for block in before.blocks:
        found = known.get(block.address)
        yield block if found is None else dataclasses.replace(block, what=found[0].what)


def _known(target: Target, arguments: Call) -> _Known:
    """The memory of tensors that are known, by its address; the first that has it counts."""
    found: _Known = {}
    for what, name, tensor in _tensors(target, arguments):
        for part in _parts(tensor):
            _add(found, part, what, name)
    return found


def _tensors(target: Target, arguments: Call) -> Iterator[tuple[str, str, Any]]:
    """What is known, its name, and the tensor; of what is found twice, the first counts."""
    reached = Reachable(target.function)
    parameters = [item for module in reached.modules for item in module.named_parameters()]
    buffers = [item for module in reached.modules for item in module.named_buffers()]
    states = [list(optimizer.state.values()) for optimizer in reached.optimizers]
    inputs = arguments.leaves
    kept = [leaf for call in target.calls for leaf in call.leaves]
    yield from (("parameter", name, tensor) for name, tensor in parameters)
    yield from (("buffer", name, tensor) for name, tensor in buffers)
    yield from (("gradient", name, tensor.grad) for name, tensor in parameters)
    yield from (("optimizer", "", tensor) for tensor in _pytree.tree_leaves(states))
    yield from (("input", "", tensor) for tensor in inputs)
    yield from (("program", "", tensor) for tensor in reached.tensors)
    others = (item for item in (*inputs, *reached.tensors) if isinstance(item, torch.Tensor))
    yield from (("gradient", "", tensor.grad) for tensor in others if tensor.is_leaf)
    yield from (("kept", "", tensor) for tensor in kept)


def _parts(tensor: Any) -> Iterator[Any]:
    """A tensor; of one that is made of others, those."""
    if not isinstance(tensor, torch.Tensor):
        return
    if not is_traceable_wrapper_subclass(tensor):
        yield tensor
        return
    for name in tensor.__tensor_flatten__()[0]:
        yield from _parts(getattr(tensor, name))


def _add(found: _Known, tensor: Any, what: str, name: str) -> None:
    wanted = "cuda" if uses_cuda() else "cpu"
    try:
        if tensor.device.type != wanted:
            return
        storage = tensor.untyped_storage()
        address, bytes_ = int(storage.data_ptr()), int(storage.nbytes())
    except (RuntimeError, NotImplementedError, ValueError):
        return  # it has no memory of its own: a fake tensor, a sparse one
    if address and bytes_:
        dtype = str(tensor.dtype).removeprefix("torch.")
        known = KnownTensor(address, what, name, tuple(tensor.shape), dtype)
        found.setdefault(address, (known, bytes_))
