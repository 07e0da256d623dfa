"""Folds the envelopes of one process into a `Process`."""

import collections
import dataclasses
from typing import TypeAlias, TypeVar

from inspector.records.calls import TargetCall
from inspector.records.environment import Dropped, Environment
from inspector.records.graph_breaks import LineTimes, SkippedFrame
from inspector.records.record import Record
from inspector.records.timeline import CallProfile
from inspector.records.vllm import VllmPieceStart
from inspector.run.compile_time import StageTime
from inspector.run.folding.boundary import boundaries, graph_inputs
from inspector.run.folding.cold_start import ColdStartDraft
from inspector.run.folding.compilations import CompilationRecord, CompilationsDraft
from inspector.run.folding.cuda_graphs import CudaGraphEvent, CudaGraphsDraft
from inspector.run.folding.frames import make_frames
from inspector.run.folding.graph_places import GraphEvent, GraphPlacesDraft
from inspector.run.folding.pieces import PiecesDraft
from inspector.run.run import Process
from inspector.shared.roots import Roots
from inspector.shared.stack import below_recorder
from inspector.trace.caches import CacheLookup, CacheState, CodeState, TritonKernels
from inspector.trace.dynamo import (
    CompilationMetrics,
    CreateSymbol,
    DynamoStart,
    TorchVersion,
    read_configs,
)
from inspector.trace.envelope import Envelope
from inspector.trace.inductor import CollectiveSchedule, GraphLogged, OutputCode
from inspector.trace.inspector_records import StoredRecord
from inspector.trace.registry import UnknownEvent, read
from inspector.trace.timing import ChromiumEvent

_R = TypeVar("_R", bound=Record)
_CompileTimeEvent: TypeAlias = CacheLookup | CodeState | LineTimes | TritonKernels


class ProcessBuilder:
    """Takes the envelopes of one process in the order of its log.

    Args:
        rank: Its rank as far as its log's name says it; what records say takes precedence.
    """

    def __init__(self, pid: int, rank: int | None = None, *, keep_spans: bool = False) -> None:
        self.pid = pid
        self.torch_hint = Roots()
        self.named_rank = rank
        self._rank = rank
        self._torch_version = ""
        self._lowered: set[str] = set()
        self._calls: list[TargetCall] = []
        self._records: dict[type[Record], list[Record]] = {}
        self._places: dict[type[Record], list[StoredRecord]] = {}
        self.compilations = CompilationsDraft()
        self._cold_start = ColdStartDraft(keep_spans=keep_spans)
        self._cuda_graphs = CudaGraphsDraft()
        self._graphs = GraphPlacesDraft()
        self._pieces = PiecesDraft()
        self._unknown: collections.Counter[str] = collections.Counter()
        self._collectives: dict[str, tuple[str, ...]] = {}
        self._configs: dict[str, str] = {}

    def fold(self, envelope: Envelope) -> None:
        """Takes one envelope.

        Raises:
            ValueError: Its payload is not what the event needs (it was cut off, say).
            TypeError: As above.
        """
        if envelope.rank is not None:
            self._rank = envelope.rank
        event = read(envelope)
        if isinstance(event, TargetCall):
            if event.state == "begin":
                self._calls.append(event)
            elif self._calls:
                self._calls[-1] = event
        elif isinstance(event, Record):
            self._records.setdefault(type(event), []).append(event)
        elif isinstance(event, StoredRecord) and event.text is not None:
            self._places.setdefault(event.kind, []).append(event)
        if event is not None:
            self._take(envelope, event)

    def records(self, kind: type[_R]) -> list[_R]:
        """Our own records of a type, in order."""
        return self._records.get(kind, [])  # type: ignore[return-value]

    @property
    def environment(self) -> Environment | None:
        """The machine and what is installed, or None for a plain trace."""
        return next(reversed(self.records(Environment)), None)

    @property
    def _last_call(self) -> TargetCall | None:
        return self._calls[-1] if self._calls else None

    def _take(self, envelope: Envelope, event: object) -> None:
        if isinstance(event, VllmPieceStart):
            self._pieces.begin(str(envelope.compile_id or ""), event, self._graphs.number)
        elif isinstance(event, ChromiumEvent):
            self._pieces.add_span(event, self._graphs.number)
            self._cold_start.add_event(event)
            self._cuda_graphs.add_span(event)
            self.compilations.add_span(event)
        elif isinstance(event, GraphEvent):
            self._take_graph(envelope, event)
        elif isinstance(event, _CompileTimeEvent):
            self._take_of_compile_time(envelope, event)
        elif isinstance(event, CudaGraphEvent):
            self._cuda_graphs.add(event)
        elif isinstance(event, CollectiveSchedule):
            key = str(envelope.compile_id or "")
            self._collectives[key] = self._collectives.get(key, ()) + event.operators
        elif isinstance(event, TorchVersion):
            self._torch_version = event.version
        elif isinstance(event, UnknownEvent):
            self._unknown[event.label] += 1
        elif not isinstance(event, Record) or isinstance(event, CompilationRecord):
            self._take_of_compilation(envelope, event)

    def _take_graph(self, envelope: Envelope, event: GraphEvent) -> None:
        compile_id = str(envelope.compile_id or "")
        if isinstance(event, GraphLogged) and event.stage == "dynamo":
            compile_id = str(self.compilations.add(envelope, event, self._last_call))
        self._graphs.add(compile_id, event)
        is_lowered = isinstance(event, GraphLogged) and event.stage == "post_grad"
        if is_lowered or isinstance(event, OutputCode):
            self._lowered.add(str(envelope.compile_id))
        if isinstance(event, OutputCode) and event.is_ahead and not event.is_rest:
            exported = self._graphs.exported
            self.compilations.begin_ahead(envelope.compile_id, exported.text if exported else None)

    def _take_of_compile_time(self, envelope: Envelope, event: _CompileTimeEvent) -> None:
        self._cold_start.add_event_of(envelope.compile_id, event)
        if isinstance(event, CacheLookup):
            self._pieces.add_lookup(event)
        # Other backends come by AOTAutograd's cache, too, and miss it.
        if isinstance(event, CacheLookup) and (
            event.state is CacheState.HIT or event.cache == "FX graph"
        ):
            self._lowered.add(str(envelope.compile_id))

    def _take_of_compilation(self, envelope: Envelope, event: object) -> None:
        compile_id = self.compilations.add(envelope, event, self._last_call)
        match event:
            case DynamoStart():
                for frame in event.stack:
                    self.torch_hint = self.torch_hint.with_torch_from(frame.file)
            case CreateSymbol(value=int() as value):
                self._graphs.add_hint(str(compile_id), event.symbol, value)
            case CompilationMetrics():
                self._configs = self._configs or read_configs(envelope)
                self._cold_start.add_metrics(compile_id, event)
                self._cuda_graphs.add_metrics(compile_id, event)

    def build(self, roots: Roots, *, explains_recompiles: bool = True) -> Process:
        """The process, as far as it was logged."""
        environment = self.environment
        stages = self._cold_start.stages()
        dropped = next(reversed(self.records(Dropped)), None)
        if dropped and dropped.compile_time_ns:
            stages = (*stages, StageTime("details dropped", dropped.compile_time_ns))
        graphs, codes = self._graphs.graphs(), self._graphs.codes()
        captured = self._graphs.captured()
        ahead = {text.compile_id for text in codes.texts if text.is_ahead}
        lookups = self._cold_start.lookups(ahead)
        drafts = self.compilations.drafts
        frames = tuple(make_frames(drafts, roots, explains_recompiles=explains_recompiles))
        broke = any(item.graph_breaks for frame in frames for item in frame.compilations)
        return Process(
            host=environment.host if environment else "",
            pid=self.pid,
            parent_pid=environment.parent_pid if environment else None,
            # Before the process group is made, the launcher's.
            rank=environment.rank if environment and self._rank is None else self._rank,
            versions=self._versions(environment),
            hardware=environment.hardware if environment else {},
            calls=tuple(self._calls),
            frames=frames,
            skipped=tuple(
                dataclasses.replace(item, stack=below_recorder(item.stack, roots))
                for item in self.records(SkippedFrame)
            ),
            compile_time_ns=sum(stage.time_ns for stage in stages),
            stages=stages,
            unknown_events=dict(self._unknown),
            has_inspector_events=environment is not None,
            boundaries=boundaries(
                captured, graphs.hints, is_profiled=bool(self.records(CallProfile)), broke=broke
            ),
            compile_times=self._cold_start.compile_times(self.compilations.drafts, roots),
            lookups=lookups,
            collectives=self._collectives,
            configs=self._configs,
            logging_ns=self._cold_start.logging_ns,
            has_spans=self._cold_start.has_spans,
            logs_breaks=all(draft.metrics.logs_breaks for draft in drafts if draft.metrics),
            lost_ends=self._cold_start.lost_ends,
            lanes=self._cold_start.lanes(),
            traced_lines=self._cold_start.traced_lines(),
            lowered=frozenset(self._lowered),
            ahead=self.compilations.ahead,
            cuda_graphs=self._cuda_graphs.build(lambda key: graph_inputs(captured.get(key))),
            codes=codes,
            graphs=graphs,
            pieces=self._pieces.build(self._graphs.number),
            recorded={kind: tuple(found) for kind, found in self._records.items()},
            stored={
                kind: tuple(place.text for place in places if place.text)
                for kind, places in self._places.items()
            },
        )

    def _versions(self, environment: Environment | None) -> dict[str, str]:
        """Versions by package; that of torch a plain trace has, too."""
        versions = dict(environment.versions) if environment else {}
        if self._torch_version:
            versions.setdefault("torch", self._torch_version)
        return versions
