"""What goes into a CUDA graph (metadata alone), and what torch says of CUDA graphs as text."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable
from typing import Any

from inspector.capture import versions
from inspector.capture.hooks import LoggerTap
from inspector.capture.writer import emit
from inspector.records.cuda_graphs import (
    CudaGraphCapture,
    CudaGraphPartitions,
    CudaGraphSkip,
    FunctionKey,
    LeftOut,
    LoggedInput,
    LoggedRefusal,
)

_MOST_INPUTS = 50
_MOST_TEXT = 2000
# What a refusal compares, by its status (torch/_inductor/cudagraph_trees.py, `check_invariants`).
_COMPARED = {
    "CudagraphManagedIdxMismatch": ("cudagraph_managed_idxs",),
    # 2.13 keeps objects that are no tensors out of the list.
    "StaticInputIdxMismatch": ("tensor_static_input_idxs", "static_input_idxs"),
}


def refusal(node: Any, inputs: Any, status: Any) -> LoggedRefusal:
    """That a graph does not fit, and the inputs whose address is another than at its capture."""
    names = _COMPARED.get(status.name, ())
    indices = next((getattr(node, name) for name in names if hasattr(node, name)), ())
    changed = [
        index
        for index in indices
        if hasattr(inputs[index], "data_ptr")
        and inputs[index].data_ptr() != node.static_input_data_ptrs[index]
    ]
    shown = tuple(_described(node, index, inputs[index]) for index in changed[:_MOST_INPUTS])
    return LoggedRefusal(node.id.id, status.name, len(changed), shown)


def with_copies(capture: CudaGraphCapture, node: Any) -> CudaGraphCapture:
    """With the inputs that every replay copies to where the graph reads them."""
    tensors = node.reconstructed_inputs
    copied = [index for index in node.non_static_input_idx if hasattr(tensors[index], "dtype")]
    sizes = {index: _bytes(tensors[index]) for index in copied}
    largest = sorted(copied, key=lambda index: -sizes[index])[:_MOST_INPUTS]
    return dataclasses.replace(
        capture,
        inputs=len(tensors),
        copied=len(copied),
        copied_bytes=sum(sizes.values()),
        copies=tuple(_described(node, index, tensors[index]) for index in largest),
    )


def pool_bytes(manager: Any) -> int | None:
    """Memory that the allocator keeps for a manager's graphs, which share one pool.

    None where the allocator does not say (a pluggable one has no snapshot).
    """
    import torch

    try:
        pool = tuple(manager.cuda_graphs_thread_pool)
        segments = torch.cuda.memory_snapshot()
    except (AttributeError, AssertionError, RuntimeError, TypeError):
        return None
    return sum(
        int(segment["total_size"])
        for segment in segments
        if tuple(segment.get("segment_pool_id", ())) == pool
    )


def _described(node: Any, index: int, tensor: Any) -> LoggedInput:
    placeholders = node.wrapped_function.placeholders
    found = placeholders[index] if index < len(placeholders) else None
    # Where an input is first used, as `get_placeholder_stack_trace` finds it.
    stacks = [item.stack_trace for item in (found, *found.users)] if found is not None else []
    return LoggedInput(
        name=getattr(found, "name", "") or f"input {index}",
        shape=tuple(int(size) for size in tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        size_bytes=_bytes(tensor),
        stack=next(filter(None, stacks), "")[-_MOST_TEXT:],
    )


def _bytes(tensor: Any) -> int:
    """Bytes that a copy moves one way: expanded dimensions are copied once."""
    sizes = zip(tensor.shape, tensor.stride(), strict=True)
    return math.prod(int(size) for size, stride in sizes if stride) * int(tensor.element_size())


class CudaGraphLog:
    """The ``cudagraphs`` loggers of torch; `key` gives the function that is about to run."""

    def __init__(self, key: Callable[[], FunctionKey]) -> None:
        self._partitions: CudaGraphPartitions | None = None
        self._left_out: list[LeftOut] = []
        self._observers = (
            LoggerTap(
                versions.CUDA_GRAPH_LOGGER,
                logging.WARNING,
                lambda record: emit(CudaGraphSkip(key(), record.getMessage())),
            ),
            LoggerTap(versions.PARTITION_LOGGER, logging.DEBUG, self._partition),
        )

    def watch(self) -> None:
        """Begins to observe; levels stay what ``TORCH_LOGS`` and the program make of them."""
        for observer in self._observers:
            observer.watch()

    def release(self) -> None:
        """Leaves the loggers as they were."""
        self.write_partitions()
        for observer in self._observers:
            observer.release()

    def write_partitions(self) -> None:
        """Writes what was said about a graph's partitions, once torch has gone on to other things.

        Called with each record of the trace; those of one compilation come before its end.
        """
        if self._partitions is not None:
            found, self._partitions = self._partitions, None
            emit(dataclasses.replace(found, left_out=tuple(self._left_out)))

    def _partition(self, record: logging.LogRecord) -> None:
        """The messages of ``Scheduler._log_graph_partitions``: a head, nodes, and their stacks."""
        arguments: tuple[Any, ...] = record.args if isinstance(record.args, tuple) else ()
        if record.msg == versions.PARTITION_HEAD:
            self.write_partitions()
            partitions, captured, _ = arguments
            self._partitions = CudaGraphPartitions(partitions=partitions, captured=captured)
            self._left_out = []
        elif record.msg == versions.PARTITION_NODE:
            name, why = arguments
            self._left_out.append(LeftOut(name, why))
        elif record.msg == versions.PARTITION_STACK_LINE and self._left_out:
            last = self._left_out.pop()
            stack = f"{last.stack}{arguments[0]}\n"
            self._left_out.append(dataclasses.replace(last, stack=stack))
