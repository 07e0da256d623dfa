"""Collects where the output code of a process is."""

from __future__ import annotations

from typing import TypeAlias

from inspector.events.cpp_kernel import InspectorCppKernel
from inspector.events.dynamo import DynamoOutputGraph
from inspector.events.gpu_target import InspectorGpuTarget
from inspector.events.graph_nodes import InspectorGraph
from inspector.events.inductor import InductorStage, OutputCode
from inspector.events.payload import Payload
from inspector.events.triton_kernel import InspectorTritonKernel
from inspector.model.output_code import OutputCodes, OutputText

__all__ = ["OutputCodesDraft", "OutputEvent"]

OutputEvent: TypeAlias = (
    DynamoOutputGraph
    | InductorStage
    | InspectorCppKernel
    | InspectorGraph
    | InspectorGpuTarget
    | InspectorTritonKernel
    | OutputCode
)


class OutputCodesDraft:
    """Takes the events that are about output code, in order."""

    def __init__(self) -> None:
        self._gpu = ""
        self._texts: list[OutputText] = []
        self._graphs: dict[str, Payload | None] = {}
        self._nodes: dict[str, Payload | None] = {}
        self._lowered: dict[str, Payload | None] = {}
        self._lowered_nodes: dict[str, Payload | None] = {}
        self._cpp: list[InspectorCppKernel] = []
        self._triton: list[InspectorTritonKernel] = []
        self._targets: list[tuple[str, InspectorGpuTarget]] = []

    def add(self, compile_id: str, event: OutputEvent) -> None:
        """Takes one event."""
        match event:
            case DynamoOutputGraph():
                self._graphs[compile_id] = event.text
            case InspectorGraph(stage="dynamo"):
                self._nodes[compile_id] = event.text
            case InspectorGraph(stage="post_grad"):
                self._lowered_nodes[compile_id] = event.text
            case InductorStage():
                self._lowered[compile_id] = event.text
            case InspectorCppKernel():
                self._cpp.append(event)
            case InspectorTritonKernel():
                self._triton.append(event)
            case OutputCode():
                graph = self._graphs.get(compile_id)
                # Its kernels are made before it: forward and backward have one compile id.
                cpp, triton = tuple(self._cpp), tuple(self._triton)
                self._cpp, self._triton = [], []
                lowered = self._lowered.pop(compile_id, None)
                lowered_nodes = self._lowered_nodes.pop(compile_id, None)
                nodes = self._nodes.get(compile_id)
                text = event.text, event.file, graph, cpp, triton, lowered, nodes, lowered_nodes
                self._texts.append(OutputText(compile_id, *text))
            case InspectorGpuTarget():
                self._gpu = event.gpu
                if not event.is_begin:
                    self._targets.append((compile_id, event))

    def build(self) -> OutputCodes:
        """What there is."""
        return OutputCodes(self._gpu, tuple(self._texts), tuple(self._targets))
