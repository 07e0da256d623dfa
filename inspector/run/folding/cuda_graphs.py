"""Gathers what a log says of CUDA graphs."""

import collections
import dataclasses
import re
from collections.abc import Callable
from typing import TypeAlias

from inspector.records.cuda_graphs import (
    CudaGraphCalls,
    CudaGraphCapture,
    CudaGraphPartitions,
    CudaGraphSkip,
    FunctionKey,
)
from inspector.run.cuda_graphs import CudaGraphs, CudaGraphWarning, WarningKind
from inspector.trace.compile_id import CompileId
from inspector.trace.dynamo import CompilationMetrics
from inspector.trace.graph_text import TextNode
from inspector.trace.printed_stack import printed_frames
from inspector.trace.timing import ChromiumEvent

CudaGraphEvent: TypeAlias = CudaGraphCapture | CudaGraphCalls | CudaGraphPartitions | CudaGraphSkip

# `Scheduler.should_partition` of 2.11 to 2.13, where the mode makes none.
_DISABLED = "partition includes all ops when cudagraphs is disabled"
# torch/_inductor/cudagraph_trees.py, 2.11 to 2.13.
_SPAN = "CUDAGraphNode.record"
# What torch puts before a reason, at times twice (torch/_inductor/output_code.py).
_PREFIX = re.compile(r"^(?:(?:skipping|disabling) cudagraphs? due to:?\s*)+")
_STACK = re.compile(r"\.?\s*Found from\s*:")
_SIZES = "CUDAGraph supports dynamic shapes"
_LIMIT = "exceeding max re-recording limit"


class CudaGraphsDraft:
    """Takes the events of one process."""

    def __init__(self) -> None:
        self._captures: dict[FunctionKey, list[CudaGraphCapture]] = {}
        self._calls: dict[FunctionKey, CudaGraphCalls] = {}
        self._warnings: dict[tuple[str, str], CudaGraphWarning] = {}
        self._partitions: list[CudaGraphPartitions] = []
        self._captured: collections.Counter[str] = collections.Counter()

    def add(self, event: CudaGraphEvent) -> None:
        """Takes one of our own artifacts."""
        match event:
            case CudaGraphCapture():
                self._captures.setdefault(event.key, []).append(event)
            case CudaGraphCalls():
                self._calls[event.key] = event
            case CudaGraphPartitions():
                # Torch divides graphs that are to be no CUDA graphs as well, into one part.
                if any(left.reason != _DISABLED for left in event.left_out) or event.captured:
                    self._partitions.append(event)
            case CudaGraphSkip():
                evidence = "inspector_cuda_graph_skip"
                key = event.key if event.key.mode else None
                self._warn(event.message, event.key.compile_id, key, evidence)

    def add_span(self, event: ChromiumEvent) -> None:
        """Takes a span of torch's own, which a plain trace has too."""
        if event.name == _SPAN and event.phase == "B":
            self._captured[event.compile_id] += 1

    def add_metrics(self, compile_id: CompileId, event: CompilationMetrics) -> None:
        """Takes the reason for which a compilation got no CUDA graph."""
        if event.cuda_graph_skip:
            self._warn(event.cuda_graph_skip, str(compile_id), None, "compilation_metrics")

    def build(self, graph_inputs: Callable[[str], tuple[TextNode, ...]]) -> CudaGraphs:
        """What is known so far."""
        keys = dict.fromkeys((*self._calls, *self._captures))
        return CudaGraphs(
            functions=tuple(map(self._function, keys)),
            warnings=tuple(self._warnings.values()),
            partitions=tuple(self._partitions),
            captured=dict(self._captured),
            inputs={
                compile_id: inputs
                for compile_id in dict.fromkeys(key.compile_id for key in self._captures)
                if (inputs := graph_inputs(compile_id))
            },
        )

    def _function(self, key: FunctionKey) -> CudaGraphCalls:
        captures = tuple(self._captures.get(key, ()))
        said = self._calls.get(key)
        if said is None:  # the log was cut off behind a capture
            said = CudaGraphCalls(key, len(captures), recordings=len(captures))
        return dataclasses.replace(said, captures=captures)

    def _warn(self, message: str, compile_id: str, key: FunctionKey | None, evidence: str) -> None:
        said = _STACK.split(message, maxsplit=1)[0].strip()
        reason = _PREFIX.sub("", said.partition("\n")[0])
        kind = WarningKind.SIZES if message.startswith(_SIZES) else WarningKind.SKIP
        kind = WarningKind.LIMIT if _LIMIT in message else kind
        frames = printed_frames(message)
        warning = CudaGraphWarning(kind, reason, frames, compile_id, key, evidence)
        # The same is said by the compilation's metrics, and its end comes later.
        self._warnings.setdefault((compile_id, reason), warning)
