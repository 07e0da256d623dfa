"""Collects where the graphs of a process are."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

from inspector.events.dynamo import DynamoOutputGraph
from inspector.events.graph_logged import GraphLogged
from inspector.events.inductor import InductorStage
from inspector.events.kept import KeptRecord
from inspector.model.graph_places import GraphPlace, GraphPlaces
from inspector.records.fusion import FusionPlan
from inspector.records.graphs import RecordedGraph

GraphEvent: TypeAlias = DynamoOutputGraph | GraphLogged | InductorStage | KeptRecord


class GraphPlacesDraft:
    """Takes the events that are about graphs, in order."""

    def __init__(self) -> None:
        self._places: list[GraphPlace] = []
        self._hints: dict[str, dict[str, int]] = {}

    def add_hint(self, compile_id: str, symbol: str, value: int) -> None:
        """Takes the value of a symbolic size; that of a further attempt replaces it."""
        self._hints.setdefault(compile_id, {})[symbol] = value

    def add(self, compile_id: str, event: GraphEvent) -> None:
        """Takes one event."""
        match event:
            case KeptRecord() if event.kind is FusionPlan:
                self._places.append(GraphPlace(compile_id, "fusion", recorded=event.text))
            case KeptRecord() if event.kind is RecordedGraph:
                self._add_recorded(compile_id, event)
            case DynamoOutputGraph():
                self._places.append(GraphPlace(compile_id, "dynamo", text=event.text))
            case InductorStage():
                self._places.append(GraphPlace(compile_id, "post_grad", text=event.text))
            case GraphLogged():
                self._places.append(GraphPlace(compile_id, event.stage, text=event.text))

    def _add_recorded(self, compile_id: str, event: KeptRecord) -> None:
        """It stands behind torch's text of the same graph."""
        stage = event.name.removesuffix("_graph")
        place = GraphPlace(compile_id, stage)
        if self._places:
            last = self._places[-1]
            if (last.compile_id, last.stage, last.recorded) == (compile_id, stage, None):
                place = self._places.pop()
        self._places.append(dataclasses.replace(place, recorded=event.text))

    def build(self) -> GraphPlaces:
        """What there is."""
        return GraphPlaces(tuple(self._places), self._hints)
