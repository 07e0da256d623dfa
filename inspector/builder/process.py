"""Folds the envelopes of one process into a `Process`."""

from __future__ import annotations

import collections

from inspector.builder.compilation import CompilationDraft, plain_frame
from inspector.builder.measurements import Measurements
from inspector.builder.stages import Spans
from inspector.events.caches import CacheHit
from inspector.events.compile_id import CompileId
from inspector.events.dynamo import (
    CompilationMetrics,
    CreateSymbol,
    DynamoError,
    DynamoOutputGraph,
    DynamoStart,
    RecompileReasons,
    TorchVersion,
)
from inspector.events.envelope import Envelope
from inspector.events.graph_break import GraphBreakReason
from inspector.events.guards import DynamoGuards, InspectorGuardCosts
from inspector.events.inspector import (
    InspectorCall,
    InspectorDropped,
    InspectorEnd,
    InspectorEnvironment,
    InspectorGraphBreak,
    InspectorProblem,
    InspectorSkippedFrame,
    InspectorSource,
    InspectorTarget,
)
from inspector.events.profile import InspectorCopyRates, InspectorProfile
from inspector.events.registry import UnknownEvent, read
from inspector.events.timing import ChromiumEvent
from inspector.events.trial import InspectorTrial
from inspector.model.compilation import Frame, SkippedFrame
from inspector.model.roots import Roots
from inspector.model.run import Process, StageTime
from inspector.model.stack import below_recorder

__all__ = ["ProcessBuilder"]


class ProcessBuilder:
    """Takes the envelopes of one process in the order of its log."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.sources: list[InspectorSource] = []
        self.environment: InspectorEnvironment | None = None
        self.torch_hint = Roots()
        self._rank: int | None = None
        self._torch_version = ""
        self._target: InspectorTarget | None = None
        self._trial: InspectorTrial | None = None
        self._calls: list[InspectorCall] = []
        self._ended = False
        self._cache_hits: collections.Counter[str] = collections.Counter()
        self._dropped: InspectorDropped | None = None
        self._compilations: list[CompilationDraft] = []
        self._current: dict[CompileId, CompilationDraft] = {}
        self._skipped: list[InspectorSkippedFrame] = []
        self._spans = Spans()
        self._measurements = Measurements()
        self._unknown: collections.Counter[str] = collections.Counter()
        self._problems: list[str] = []

    def fold(self, envelope: Envelope) -> None:
        """Takes one envelope.

        Raises:
            ValueError: Its payload is not what the event needs (it was cut off, say).
            TypeError: As above.
        """
        if envelope.rank is not None:
            self._rank = envelope.rank
        event = read(envelope)
        if event is not None:
            self._take(envelope, event)
        if isinstance(event, CreateSymbol) and envelope.compile_id is not None:
            _take_guards(self._draft(envelope, event), event)

    def _take(self, envelope: Envelope, event: object) -> None:
        match event:
            case CacheHit():
                self._cache_hits[event.cache] += 1
            case ChromiumEvent():
                self._spans.add(event)
            case TorchVersion():
                self._torch_version = event.version
            case UnknownEvent():
                self._unknown[event.label] += 1
            case InspectorCall() | InspectorEnd() | InspectorEnvironment() | InspectorProblem():
                self._take_ours(event)
            case InspectorDropped() | InspectorSkippedFrame() | InspectorSource():
                self._take_ours(event)
            case InspectorTarget():
                self._take_ours(event)
            case InspectorProfile() | InspectorCopyRates() | CreateSymbol():
                self._measurements.add(event)
            case InspectorTrial():
                self._trial = event
            case _:
                self._take_of_compilation(envelope, event)

    def _take_of_compilation(self, envelope: Envelope, event: object) -> None:
        draft = self._draft(envelope, event)
        match event:
            case DynamoStart():
                self._note_torch(event)
                draft.stack = event.stack
            case DynamoOutputGraph():
                draft.graph_attempts.append(envelope.attempt)
                self._measurements.add_graph(draft.compile_id, event)
            case GraphBreakReason():
                draft.add_break(envelope.attempt, event)
            case InspectorGraphBreak():
                draft.add_positions(event.positions)
            case DynamoError():
                draft.error_stack = event.stack
            case RecompileReasons():
                draft.recompile_reasons = event.reasons
            case DynamoGuards() | InspectorGuardCosts():
                _take_guards(draft, event)
            # The backward's metrics come later under the forward's id and say nothing of it.
            case CompilationMetrics(is_forward=True):
                draft.metrics = event

    def _take_ours(self, event: object) -> None:
        match event:
            case InspectorCall(state="begin"):
                self._calls.append(event)
            case InspectorCall() if self._calls:
                self._calls[-1] = event
            case InspectorDropped():
                self._dropped = event
            case InspectorEnd():
                self._ended = True
            case InspectorEnvironment():
                self.environment = event
            case InspectorProblem():
                self._problems.append(f"{event.where}: {event.error}")
            case InspectorSkippedFrame():
                self._skipped.append(event)
            case InspectorSource():
                self.sources.append(event)
            case InspectorTarget():
                self._target = event

    @property
    def counts(self) -> tuple[int, int, int]:
        """Frames, graphs and records of graph breaks so far, for showing progress."""
        drafts = self._compilations
        return (
            len({draft.compile_id.frame_id for draft in drafts}),
            sum(len(draft.graph_attempts) for draft in drafts),
            sum(len(draft.breaks) for draft in drafts),
        )

    @property
    def doing(self) -> str:
        """What was begun last, for showing progress."""
        return self._compilations[-1].name if self._compilations else ""

    def build(self, roots: Roots) -> Process:
        """The process, as far as it was logged."""
        stages = (*self._spans.stages(), *self._dropped_time())
        environment = self.environment
        versions = dict(environment.versions) if environment else {}
        if self._torch_version:
            versions.setdefault("torch", self._torch_version)
        return Process(
            host=environment.host if environment else "",
            pid=self.pid,
            parent_pid=environment.parent_pid if environment else None,
            rank=self._rank_of(environment),
            versions=versions,
            hardware=environment.hardware if environment else {},
            target=self._target,
            trial=self._trial,
            calls=tuple(self._calls),
            frames=tuple(self._frames(roots)),
            skipped=tuple(_skipped(item, roots) for item in self._skipped),
            compile_time_ns=sum(stage.time_ns for stage in stages),
            stages=stages,
            unknown_events=dict(self._unknown),
            problems=tuple(self._problems),
            has_inspector_events=environment is not None,
            profiles=self._measurements.profiles(),
            copy_rates=self._measurements.copy_rates(),
            boundaries=self._measurements.boundaries(),
            ended=self._ended,
            cache_hits=dict(sorted(self._cache_hits.items())),
            dropped=self._dropped,
        )

    def _dropped_time(self) -> tuple[StageTime, ...]:
        """Compile time whose stages were dropped from the log, as a stage of its own."""
        time_ns = self._dropped.counts.get("compile_time_ns", 0) if self._dropped else 0
        return (StageTime("details dropped", time_ns),) if time_ns else ()

    def _rank_of(self, environment: InspectorEnvironment | None) -> int | None:
        """The process group's rank; before it is made, the launcher's."""
        return self._rank if self._rank is not None or environment is None else environment.rank

    def _frames(self, roots: Roots) -> list[Frame]:
        return [
            Frame(
                frame_id=drafts[0].compile_id.frame_id,
                name=drafts[0].name,
                file=drafts[0].file,
                first_line=drafts[0].first_line,
                compilations=tuple(draft.build(roots) for draft in drafts),
            )
            for drafts in self._by_frame()
        ]

    def _by_frame(self) -> list[list[CompilationDraft]]:
        """The compilations by code object: after a reset, torch gives its numbers to others."""
        frames: list[list[CompilationDraft]] = []
        newest: dict[int | None, list[CompilationDraft]] = {}
        known: dict[tuple[object, ...], list[CompilationDraft]] = {}
        for draft in self._compilations:
            frame_id = draft.compile_id.frame_id
            code = (frame_id, draft.file, draft.first_line, draft.name)
            # At the recompile limit torch says the number alone.
            found = known.get(code) if draft.name else newest.get(frame_id)
            if found is None:
                found = []
                frames.append(found)
            newest[frame_id] = known[code] = found
            found.append(draft)
        return frames

    def _draft(self, envelope: Envelope, event: object) -> CompilationDraft:
        # What is logged outside of any compilation (it does happen) gets a compilation of its own.
        compile_id = envelope.compile_id or CompileId(None, None)
        draft = self._current.get(compile_id)
        # torch._dynamo.reset() begins to count anew; these two events begin a compilation.
        begins = isinstance(event, DynamoStart | RecompileReasons)
        if draft is None or (begins and draft.metrics is not None):
            call = self._calls[-1].call if self._calls else None
            draft = self._current[compile_id] = CompilationDraft(compile_id, call)
            self._compilations.append(draft)
        return draft

    def _note_torch(self, event: DynamoStart) -> None:
        for frame in event.stack:
            self.torch_hint = self.torch_hint.with_torch_from(frame.file)


def _take_guards(
    draft: CompilationDraft, event: DynamoGuards | InspectorGuardCosts | CreateSymbol
) -> None:
    match event:
        case DynamoGuards():
            draft.guards_text = event.text
        case InspectorGuardCosts():
            draft.guard_costs = event
        # Of several attempts the last one counts: a symbol of the same name has another meaning.
        case CreateSymbol(value=int() as value) if event.source:
            draft.symbols[event.source] = value


def _skipped(event: InspectorSkippedFrame, roots: Roots) -> SkippedFrame:
    return SkippedFrame(
        file=event.file,
        line=event.line,
        name=event.name,
        reason=event.reason,
        cause=event.cause,
        is_entry=event.is_entry,
        stack=below_recorder([plain_frame(frame) for frame in event.stack], roots),
    )
