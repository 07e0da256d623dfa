"""Observes CUDA graphs: what is captured and why again, what is copied in, how often it replays.

Torch logs none of this as events. The functions of its CUDA-graph trees that are stood in for
(torch/_inductor/cudagraph_trees.py, 2.11 to 2.13) do what they do; a call that replays gets two
more Python calls and no look at a tensor. No tensor is kept, and none is read: metadata alone.
"""

from __future__ import annotations

import atexit
import dataclasses
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch

from inspector.capture import versions
from inspector.capture.cuda_graph_facts import CudaGraphLog, pool_bytes, refusal, with_copies
from inspector.capture.hooks import Hooks
from inspector.capture.sources import SourceWriter
from inspector.capture.user_stack import user_stack
from inspector.capture.writer import emit, guarded
from inspector.records.cuda_graphs import NO_FUNCTION, CudaGraphCalls, CudaGraphCapture, FunctionKey

_Method: TypeAlias = Callable[..., Any]
_CHECKED = 4  # calls of a function: until it is captured, or torch has given that up
# A snapshot of the allocator takes milliseconds where it has many segments.
_MOST_SNAPSHOTS = 64


@dataclasses.dataclass(slots=True)
class _Function:
    """What one function did; torch wraps one per compiled graph, partition and set of integers."""

    key: FunctionKey
    calls: int = 0
    replays: int = 0
    recordings: int = 0
    warmups: int = 0
    # The captured graphs that did not fit this call so far, with torch's status.
    refused: list[tuple[Any, Any]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class _Manager:
    """A tree manager, and its functions by torch's numbers; its id may be another's after it."""

    number: int
    alive: weakref.ref[Any]
    functions: dict[int, _Function]


class _Here(threading.local):
    """The function that this thread is calling, or None."""

    function: _Function | None = None


class CudaGraphObserver:
    """Stands in for a few functions of CUDA-graph trees while a process is recorded."""

    def __init__(self, sources: SourceWriter) -> None:
        self._sources = sources
        self._log = CudaGraphLog(self._key)
        self._here = _Here()
        self._managers: dict[int, _Manager] = {}
        self._count = 0
        self._functions: list[_Function] = []
        self._snapshots = 0
        self._hooks = Hooks()
        self._is_watching = False

    def watch(self) -> None:
        """Begins to observe."""
        self._is_watching = True
        self._log.watch()

    def release(self) -> None:
        """Says the counts, and leaves torch as it was."""
        self._end()
        atexit.unregister(self._end)
        self._is_watching = False  # what is bound already still calls us
        self._log.release()
        self._hooks.release()
        self.forget()

    def forget(self) -> None:
        """Counts anew, for a log that has nothing yet."""
        self._managers.clear()
        self._functions.clear()

    def _end(self) -> None:
        for function in self._functions:
            _write_counts(function)

    def look(self) -> None:
        """Looks, at each record of the trace, whether torch has begun to wrap functions."""
        self._log.write_partitions()
        if self._is_watching and not self._hooks:
            found = versions.cuda_graph_classes()
            if found is not None:
                manager, node = found
                self._hooks.replace(manager, "run", self._run)
                self._hooks.replace(manager, "record_function", self._record)
                self._hooks.replace(manager, "run_eager", self._warm_up)
                self._hooks.replace(node, "check_invariants", self._check)
                atexit.register(self._end)

    def _run(self, original: _Method) -> _Method:
        """One call of a wrapped function; torch calls itself for a second look.

        This and `_check` run in each replay: what they need is at hand.
        """
        here, managers = self._here, self._managers

        def run(manager: Any, new_inputs: Any, function_id: Any) -> Any:
            if here.function is not None or not self._is_watching:
                return original(manager, new_inputs, function_id)
            known = managers.get(id(manager))
            function = None
            if known is not None and known.alive() is manager:
                function = known.functions.get(function_id.id)
            if function is None:
                function = self._new_function(manager, new_inputs, function_id)
                if function is None:
                    return original(manager, new_inputs, function_id)
            function.calls = calls = function.calls + 1
            if calls <= _CHECKED:
                _check_memory(new_inputs)
            here.function = function
            try:
                return original(manager, new_inputs, function_id)
            finally:
                here.function = None
                if function.refused:  # they would be kept alive
                    function.refused.clear()
                if not calls & (calls - 1):
                    # A process that is killed has said all but the last half of its calls.
                    _write_counts(function)

        return run

    def _check(self, original: _Method) -> _Method:
        """Whether a captured graph fits; the first that does is replayed."""
        here, fits = self._here, versions.cuda_graph_fits()

        def check_invariants(node: Any, inputs: Any) -> Any:
            found = original(node, inputs)
            function = here.function
            if function is not None:
                if found[0] is fits:
                    function.replays += 1
                    if function.refused:
                        function.refused.clear()
                else:
                    function.refused.append((node, found[0]))
            return found

        return check_invariants

    def _warm_up(self, original: _Method) -> _Method:
        here = self._here

        def run_eager(manager: Any, new_inputs: Any, function_id: Any) -> Any:
            if here.function is not None:
                here.function.warmups += 1
            return original(manager, new_inputs, function_id)

        return run_eager

    def _record(self, original: _Method) -> _Method:
        """A capture. Torch empties the list of inputs, so that it is looked at before."""
        here = self._here

        def record_function(manager: Any, new_inputs: Any, function_id: Any) -> Any:
            function = here.function
            if function is None:
                return original(manager, new_inputs, function_id)
            made: list[CudaGraphCapture] = []

            def look() -> None:
                # Torch can look twice, with the call's end of what ran before in between.
                refused = {node.id.id: (node, status) for node, status in function.refused}
                parent = getattr(manager.current_node, "id", None)
                made.append(
                    CudaGraphCapture(
                        key=function.key,
                        recording=function.recordings,
                        parent=getattr(parent, "id", None),
                        refused=tuple(
                            refusal(node, new_inputs, status) for node, status in refused.values()
                        ),
                        stack=user_stack(self._sources),
                    )
                )

            guarded("CUDA graph inputs", look)
            function.recordings += 1
            function.refused.clear()
            began_ns = time.perf_counter_ns()
            out = original(manager, new_inputs, function_id)
            duration_ns = time.perf_counter_ns() - began_ns
            guarded("CUDA graph", lambda: self._after(manager, made, duration_ns))
            _write_counts(function)
            return out

        return record_function

    def _new_function(self, manager: Any, inputs: Any, function_id: Any) -> _Function | None:
        try:
            known = self._managers.get(id(manager))
            if known is None or known.alive() is not manager:
                self._count += 1
                known = _Manager(self._count, weakref.ref(manager), {})
                self._managers[id(manager)] = known
            key = _key(known.number, manager, inputs, function_id)
        except Exception:  # noqa: BLE001 - the program must not notice, whatever it is
            return None
        function = known.functions[function_id.id] = _Function(key)
        self._functions.append(function)
        return function

    def _after(self, manager: Any, made: list[CudaGraphCapture], duration_ns: int) -> None:
        node = manager.current_node
        self._snapshots += 1
        size = pool_bytes(manager) if self._snapshots <= _MOST_SNAPSHOTS else None
        for capture in made:
            emit(
                dataclasses.replace(
                    with_copies(capture, node),
                    graph=node.id.id,
                    pool_bytes=size,
                    duration_ns=duration_ns,
                )
            )

    def _key(self) -> FunctionKey:
        function = self._here.function
        if function is not None:
            return function.key
        return dataclasses.replace(NO_FUNCTION, compile_id=versions.compile_id())


def _key(number: int, manager: Any, inputs: Any, function_id: Any) -> FunctionKey:
    compile_id = manager.id_to_compile_id.get(function_id)
    return FunctionKey(
        manager=number,
        function=function_id.id,
        device=manager.device_index,
        compile_id="" if compile_id is None else str(compile_id),
        mode=manager.id_to_mode[function_id].name,
        # Each set of integers among the inputs (sizes that are dynamic) is a function of its own.
        integers=tuple(item for item in inputs if isinstance(item, int)),
    )


def _check_memory(inputs: Sequence[object]) -> None:
    """Raises what torch says of an input whose memory a later CUDA graph has overwritten.

    Inductor's static launcher of Triton kernels does not look whether ``data_ptr`` raised, and
    ends the process (2.11).
    """
    for item in inputs:
        if isinstance(item, torch.Tensor):
            item.data_ptr()


def _write_counts(function: _Function) -> None:
    names = ("calls", "replays", "recordings", "warmups")
    counts = (getattr(function, name) for name in names)
    guarded("CUDA graph calls", lambda: emit(CudaGraphCalls(function.key, *counts)))
