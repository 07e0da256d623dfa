"""Collects what vLLM compiles part by part: what is logged from one start to the next."""

import dataclasses

from inspector.records.vllm import VllmPieceStart
from inspector.run.folding.spans import Spans
from inspector.run.pieces import Piece
from inspector.trace.caches import CacheLookup
from inspector.trace.timing import ChromiumEvent


@dataclasses.dataclass(slots=True)
class _Draft:
    start: VllmPieceStart
    compile_id: str
    first_place: int
    spans: Spans = dataclasses.field(default_factory=Spans)
    lookups: list[CacheLookup] = dataclasses.field(default_factory=list)
    depth: int = 0


class PiecesDraft:
    """Takes the events of one process in order."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._open: _Draft | None = None

    def begin(self, compile_id: str, start: VllmPieceStart, places: int) -> None:
        """Takes the start of a part; `places` is how many graphs the process has so far."""
        self.end(places)
        self._open = _Draft(start, compile_id, places)

    def add_span(self, event: ChromiumEvent, places: int) -> None:
        """Takes a begin or an end; the end of what began before the last part ends that, too."""
        draft = self._open
        if draft is None or event.phase not in {"B", "E"}:
            return
        draft.depth += 1 if event.phase == "B" else -1
        if draft.depth < 0:
            self.end(places)
        else:
            draft.spans.add(event)

    def add_lookup(self, lookup: CacheLookup) -> None:
        """Takes what a cache said."""
        if self._open is not None:
            self._open.lookups.append(lookup)

    def end(self, places: int) -> None:
        """Ends the last part."""
        draft, self._open = self._open, None
        if draft is not None:
            stages, lookups = draft.spans.stages(), tuple(draft.lookups)
            bounds = draft.first_place, places
            self._pieces.append(Piece(draft.start, draft.compile_id, stages, lookups, bounds))

    def build(self, places: int) -> tuple[Piece, ...]:
        """The parts so far."""
        open_ = self._open
        self.end(places)
        found, self._open = tuple(self._pieces), open_
        if open_ is not None:
            self._pieces.pop()
        return found
