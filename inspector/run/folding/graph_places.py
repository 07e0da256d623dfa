"""Collects where the graphs of a process are, and the code that Inductor generated of them."""

import dataclasses
from typing import TypeAlias

from inspector.records.fusion import FusionPlan
from inspector.records.gpu_target import GpuTarget
from inspector.records.graphs import RecordedGraph
from inspector.records.kernels import CppKernelLoops, TritonKernelFacts
from inspector.records.passes import PassChanges
from inspector.run.graph_places import GraphPlace, GraphPlaces, OutputCodes, OutputText
from inspector.trace.inductor import GraphLogged, OutputCode
from inspector.trace.inspector_records import StoredRecord

GraphEvent: TypeAlias = (
    GraphLogged | OutputCode | StoredRecord | CppKernelLoops | TritonKernelFacts | GpuTarget
)


class GraphPlacesDraft:
    """Takes the events that are about graphs and their code, in order."""

    def __init__(self) -> None:
        self._places: list[GraphPlace] = []
        self._newest: dict[tuple[str, str], GraphPlace] = {}
        self._hints: dict[str, dict[str, int]] = {}
        self._gpu = ""
        self._texts: list[OutputText] = []
        self._cpp: list[CppKernelLoops] = []
        self._triton: list[TritonKernelFacts] = []
        self._targets: list[tuple[str, GpuTarget]] = []
        self.exported: GraphPlace | None = None

    def add_hint(self, compile_id: str, symbol: str, value: int) -> None:
        """Takes the value of a symbolic size; that of a further attempt replaces it."""
        self._hints.setdefault(compile_id, {})[symbol] = value

    def add(self, compile_id: str, event: GraphEvent) -> None:
        """Takes one event."""
        match event:
            case GraphLogged():
                self._add_graph(
                    GraphPlace(compile_id, event.stage, text=event.text, pass_name=event.pass_name)
                )
            case StoredRecord() if event.kind is FusionPlan:
                self._add_graph(GraphPlace(compile_id, "fusion", recorded=event.text))
            case StoredRecord() if event.kind is PassChanges:
                self._add_graph(GraphPlace(compile_id, "passes", recorded=event.text))
            case StoredRecord() if event.kind is RecordedGraph:
                self._add_recorded(compile_id, event)
            case CppKernelLoops():
                self._cpp.append(event)
            case TritonKernelFacts():
                self._triton.append(event)
            case OutputCode():
                self._add_code(compile_id, event)
            case GpuTarget():
                self._gpu = event.gpu
                if not event.is_begin:
                    self._targets.append((compile_id, event))

    def _add_graph(self, place: GraphPlace) -> None:
        self._places.append(place)
        self._newest[place.compile_id, place.stage] = place
        if place.stage == "pre_grad":
            self.exported = place

    def _add_recorded(self, compile_id: str, event: StoredRecord) -> None:
        """It stands behind torch's text of the same graph."""
        place = GraphPlace(compile_id, event.name.removesuffix("_graph"))
        last = self._places[-1] if self._places else None
        if last is not None and dataclasses.replace(last, text=None) == place:
            place = self._places.pop()
        self._add_graph(dataclasses.replace(place, recorded=event.text))

    def _add_code(self, compile_id: str, event: OutputCode) -> None:
        if event.is_rest and self._texts and self._texts[-1].is_ahead:
            self._texts[-1] = dataclasses.replace(self._texts[-1], rest=event.text)
            return
        graph = self._newest.get((compile_id, "dynamo"))
        text = OutputText(compile_id, event.text, event.file, graph)
        if event.is_ahead:  # AOTInductor lowers an exported graph, not one of Dynamo's
            text = dataclasses.replace(text, graph=self.exported or graph, is_ahead=True)
        else:
            # Its kernels are made before it: forward and backward have one compile id.
            text = dataclasses.replace(
                text,
                graph=graph if compile_id else self.exported,
                lowered=self._newest.pop((compile_id, "post_grad"), None),
                cpp=tuple(self._cpp),
                triton=tuple(self._triton),
            )
            self._cpp, self._triton = [], []
        self._texts.append(text)

    @property
    def number(self) -> int:
        """How many graphs there are so far."""
        return len(self._places)

    def captured(self) -> dict[str, GraphPlace]:
        """The graph of Dynamo's that each compilation was left with."""
        return {key: place for (key, stage), place in self._newest.items() if stage == "dynamo"}

    def graphs(self) -> GraphPlaces:
        """The graphs."""
        return GraphPlaces(tuple(self._places), self._hints)

    def codes(self) -> OutputCodes:
        """The code of them."""
        return OutputCodes(self._gpu, tuple(self._texts), tuple(self._targets))
