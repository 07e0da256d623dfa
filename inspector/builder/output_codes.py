"""Collects where the output code of a process is."""

from __future__ import annotations

from inspector.events.dynamo import DynamoOutputGraph
from inspector.events.gpu_target import InspectorGpuTarget
from inspector.events.inductor import OutputCode
from inspector.events.payload import Payload
from inspector.model.output_code import OutputCodes, OutputText

__all__ = ["OutputCodesDraft"]


class OutputCodesDraft:
    """Takes the events that are about output code, in order."""

    def __init__(self) -> None:
        self._gpu = ""
        self._texts: list[OutputText] = []
        self._graphs: dict[str, Payload | None] = {}
        self._targets: list[tuple[str, InspectorGpuTarget]] = []

    def add(
        self, compile_id: str, event: DynamoOutputGraph | InspectorGpuTarget | OutputCode
    ) -> None:
        """Takes one event."""
        match event:
            case DynamoOutputGraph():
                self._graphs[compile_id] = event.text
            case OutputCode():
                graph = self._graphs.get(compile_id)
                self._texts.append(OutputText(compile_id, event.text, event.file, graph))
            case InspectorGpuTarget():
                self._gpu = event.gpu
                if not event.is_begin:
                    self._targets.append((compile_id, event))

    def build(self) -> OutputCodes:
        """What there is."""
        return OutputCodes(self._gpu, tuple(self._texts), tuple(self._targets))
