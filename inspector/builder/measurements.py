"""Gathers what was measured in a process, and what is needed to say what it means."""

from __future__ import annotations

from inspector.builder.boundary import make_boundary
from inspector.events.compile_id import CompileId
from inspector.events.dynamo import CreateSymbol, DynamoOutputGraph
from inspector.events.graph_text import TextNode, parse_graph
from inspector.events.payload import Payload
from inspector.model.boundary import Boundary
from inspector.model.timeline import Mark, MarkKind, Profile, Thread, nested
from inspector.records.timeline import CallProfile, MarkedThread

# Read for crossings that nobody measured: about 2 s. A longer log gives its answer without them.
_MOST_TEXT_BYTES = 1 << 24
_KINDS = {kind.value: kind for kind in MarkKind}


class Measurements:
    """Profiles, copy rates, and where the texts of the graphs are."""

    def __init__(self) -> None:
        self._profiles: list[CallProfile] = []
        self._texts: dict[str, Payload] = {}
        self._hints: dict[str, int] = {}

    def add(self, event: CallProfile | CreateSymbol) -> None:
        """Takes something that was measured, or the value of a symbolic size."""
        match event:
            case CallProfile():
                self._profiles.append(event)
            case CreateSymbol(value=int() as value):
                self._hints[event.symbol] = value

    def add_graph(self, compile_id: CompileId, event: DynamoOutputGraph) -> None:
        """Takes the place of a graph's text; that of a further attempt replaces it."""
        if event.text is not None:
            self._texts[str(compile_id)] = event.text

    def profiles(self) -> tuple[Profile, ...]:
        """The profiles, with their spans nested."""
        return tuple(
            Profile(
                input=event.input,
                first_call=event.first_call,
                compiled=frozenset(event.compiled),
                with_device=event.with_device,
                plain_ns=event.plain_ns,
                plain_times_ns=event.plain_times_ns,
                mark_ns=event.mark_ns,
                threads=tuple(_thread(thread, event.labels) for thread in event.threads),
            )
            for event in self._profiles
        )

    def graph_inputs(self, compile_id: str) -> tuple[TextNode, ...]:
        """What goes into the graph of a compilation, in order, as its text names it."""
        text = self._texts.get(compile_id)
        try:
            return parse_graph(text.text()).inputs if text is not None else ()
        except (ValueError, SyntaxError, RecursionError):
            return ()  # it was cut off

    def boundaries(self, *, broke: bool) -> dict[str, Boundary]:
        """The boundaries of the graphs; they cost reading their texts, and only costs need them.

        Args:
            broke: Whether there are graph breaks.
        """
        found: dict[str, Boundary] = {}
        size_bytes = sum(text.length_bytes for text in self._texts.values())
        is_wanted = self._profiles or (broke and size_bytes <= _MOST_TEXT_BYTES)
        for compile_id, text in self._texts.items() if is_wanted else ():
            try:
                found[compile_id] = make_boundary(parse_graph(text.text()), self._hints)
            except (ValueError, SyntaxError, RecursionError):
                continue  # a text that was cut off: what crosses there is not known
        return found


def _thread(thread: MarkedThread, labels: tuple[str, ...]) -> Thread:
    marks = [
        Mark(_KINDS[item.kind], labels[item.label], item.start_ns, item.end_ns, item.sequence)
        for item in thread.markers
        if item.kind in _KINDS and item.label < len(labels)
    ]
    return Thread(nested(marks), thread.activities)
