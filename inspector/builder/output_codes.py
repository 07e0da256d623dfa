"""Collects where the output code of a process is."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from inspector.events.dynamo import DynamoOutputGraph
from inspector.events.graph_logged import GraphLogged
from inspector.events.inductor import AheadCode, InductorStage, OutputCode
from inspector.events.kept import KeptRecord
from inspector.events.payload import Payload
from inspector.model.output_code import OutputCodes, OutputText
from inspector.records.gpu_target import GpuTarget
from inspector.records.kernels import CppKernelLoops, TritonKernelFacts

OutputEvent: TypeAlias = (
    AheadCode
    | DynamoOutputGraph
    | GraphLogged
    | InductorStage
    | CppKernelLoops
    | KeptRecord
    | GpuTarget
    | TritonKernelFacts
    | OutputCode
)


class OutputCodesDraft:
    """Takes the events that are about output code, in order."""

    def __init__(self) -> None:
        self._gpu = ""
        self._exported: Payload | None = None
        self._texts: list[OutputText] = []
        self._graphs: dict[str, Payload | None] = {}
        self._nodes: dict[str, Payload | None] = {}
        self._lowered: dict[str, Payload | None] = {}
        self._lowered_nodes: dict[str, Payload | None] = {}
        self._cpp: list[CppKernelLoops] = []
        self._triton: list[TritonKernelFacts] = []
        self._targets: list[tuple[str, GpuTarget]] = []

    def add(self, compile_id: str, event: OutputEvent) -> None:
        """Takes one event."""
        match event:
            case CppKernelLoops():
                self._cpp.append(event)
            case TritonKernelFacts():
                self._triton.append(event)
            case OutputCode():
                self._add_code(compile_id, event)
            case AheadCode():
                self._add_ahead(compile_id, event)
            case GpuTarget():
                self._gpu = event.gpu
                if not event.is_begin:
                    self._targets.append((compile_id, event))
            case _:
                self._add_graph(compile_id, event)

    def _add_graph(self, compile_id: str, event: OutputEvent) -> None:
        """Takes a graph that code is generated of, or from which its lines are known."""
        match event:
            case DynamoOutputGraph():
                self._graphs[compile_id] = event.text
            case GraphLogged(stage="pre_grad"):
                self._exported = event.text
            case KeptRecord(name="dynamo_graph"):
                self._nodes[compile_id] = event.text
            case KeptRecord(name="post_grad_graph"):
                self._lowered_nodes[compile_id] = event.text
            case InductorStage():
                self._lowered[compile_id] = event.text

    def _add_code(self, compile_id: str, event: OutputCode) -> None:
        graph = self._graphs.get(compile_id) if compile_id else self._exported
        # Its kernels are made before it: forward and backward have one compile id.
        cpp, triton = tuple(self._cpp), tuple(self._triton)
        self._cpp, self._triton = [], []
        lowered = self._lowered.pop(compile_id, None)
        lowered_nodes = self._lowered_nodes.pop(compile_id, None)
        nodes = self._nodes.get(compile_id)
        text = event.text, event.file, graph, cpp, triton, lowered, nodes, lowered_nodes
        self._texts.append(OutputText(compile_id, *text))

    def _add_ahead(self, compile_id: str, event: AheadCode) -> None:
        """Takes C++ of AOTInductor, which lowers an exported graph, not one of Dynamo's."""
        if event.is_rest and self._texts and self._texts[-1].is_ahead:
            self._texts[-1] = dataclasses.replace(self._texts[-1], rest=event.text)
        else:
            graph = self._exported or self._graphs.get(compile_id)
            text = OutputText(compile_id, event.text, event.file, graph, is_ahead=True)
            self._texts.append(text)

    @property
    def exported(self) -> Payload | None:
        """Where the text of the graph is that Inductor took last, or None."""
        return self._exported

    def build(self) -> OutputCodes:
        """What there is."""
        return OutputCodes(self._gpu, tuple(self._texts), tuple(self._targets))
