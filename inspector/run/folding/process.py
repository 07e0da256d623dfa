"""Folds the envelopes of one process into a `Process`."""

from __future__ import annotations

import collections
from typing import TypeAlias

from inspector.records.environment import Dropped, Environment, Problem
from inspector.records.graph_breaks import LineTimes
from inspector.records.record import Record
from inspector.records.timeline import CallProfile
from inspector.run.compile_time import StageTime
from inspector.run.folding.account import Account
from inspector.run.folding.boundary import boundaries, graph_inputs
from inspector.run.folding.cold_start import ColdStartDraft, graph_hits
from inspector.run.folding.compilations import CompilationRecord, CompilationsDraft
from inspector.run.folding.cuda_graphs import CudaGraphEvent, CudaGraphsDraft
from inspector.run.folding.frames import make_frames
from inspector.run.folding.graph_places import GraphEvent, GraphPlacesDraft
from inspector.run.run import Process
from inspector.shared.roots import Roots
from inspector.trace.caches import CacheLookup, CacheState, CodeState, TritonKernels
from inspector.trace.dynamo import CompilationMetrics, CreateSymbol, DynamoStart, TorchVersion
from inspector.trace.envelope import Envelope
from inspector.trace.inductor import CollectiveSchedule, GraphLogged, OutputCode
from inspector.trace.inspector_records import KeptRecord
from inspector.trace.registry import UnknownEvent, read
from inspector.trace.timing import ChromiumEvent

_CompileTimeEvent: TypeAlias = CacheLookup | CodeState | LineTimes | TritonKernels


class ProcessBuilder:
    """Takes the envelopes of one process in the order of its log.

    Args:
        rank: Its rank as far as its log's name says it; what records say takes precedence.
    """

    def __init__(self, pid: int, rank: int | None = None, *, keep_spans: bool = False) -> None:
        self.pid = pid
        self.torch_hint = Roots()
        self._rank = rank
        self._torch_version = ""
        self._lowered: set[str] = set()
        self.account = Account()
        self.compilations = CompilationsDraft()
        self._cold_start = ColdStartDraft(keep_spans=keep_spans)
        self._cuda_graphs = CudaGraphsDraft()
        self._graphs = GraphPlacesDraft()
        self._unknown: collections.Counter[str] = collections.Counter()
        self._collectives: dict[str, tuple[str, ...]] = {}

    def fold(self, envelope: Envelope) -> None:
        """Takes one envelope.

        Raises:
            ValueError: Its payload is not what the event needs (it was cut off, say).
            TypeError: As above.
        """
        if envelope.rank is not None:
            self._rank = envelope.rank
        event = read(envelope)
        if isinstance(event, Record):
            self.account.add(event)
        elif isinstance(event, KeptRecord):
            self.account.add_place(event)
        if event is not None:
            self._take(envelope, event)

    def _take(self, envelope: Envelope, event: object) -> None:
        if isinstance(event, ChromiumEvent):
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
            compile_id = str(self.compilations.add(envelope, event, self.account.last_call))
        self._graphs.add(compile_id, event)
        is_lowered = isinstance(event, GraphLogged) and event.stage == "post_grad"
        if is_lowered or isinstance(event, OutputCode):
            self._lowered.add(str(envelope.compile_id))
        if isinstance(event, OutputCode) and event.is_ahead and not event.is_rest:
            exported = self._graphs.exported
            self.compilations.begin_ahead(envelope.compile_id, exported.text if exported else None)

    def _take_of_compile_time(self, envelope: Envelope, event: _CompileTimeEvent) -> None:
        self._cold_start.add_said(envelope.compile_id, event)
        # Other backends come by AOTAutograd's cache, too, and miss it.
        if isinstance(event, CacheLookup) and (
            event.state is CacheState.HIT or event.cache == "FX graph"
        ):
            self._lowered.add(str(envelope.compile_id))

    def _take_of_compilation(self, envelope: Envelope, event: object) -> None:
        compile_id = self.compilations.add(envelope, event, self.account.last_call)
        match event:
            case DynamoStart():
                for frame in event.stack:
                    self.torch_hint = self.torch_hint.with_torch_from(frame.file)
            case CreateSymbol(value=int() as value):
                self._graphs.add_hint(str(compile_id), event.symbol, value)
            case CompilationMetrics():
                self._cold_start.add_metrics(compile_id, event)
                self._cuda_graphs.add_metrics(compile_id, event)

    def build(self, roots: Roots, *, explains_recompiles: bool = True) -> Process:
        """The process, as far as it was logged."""
        account, environment = self.account, self.account.environment
        stages = (*self._cold_start.stages(), *self._dropped_time())
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
            rank=self._rank_of(environment),
            versions=self._versions(environment),
            hardware=environment.hardware if environment else {},
            calls=tuple(account.calls),
            frames=frames,
            skipped=account.skipped(roots),
            compile_time_ns=sum(stage.time_ns for stage in stages),
            stages=stages,
            unknown_events=dict(self._unknown),
            problems=tuple(f"{item.where}: {item.error}" for item in account.of(Problem)),
            has_inspector_events=environment is not None,
            boundaries=boundaries(
                captured, graphs.hints, is_profiled=bool(account.of(CallProfile)), broke=broke
            ),
            late_hooks=account.late_hooks,
            cache_hits=graph_hits(lookups),
            compile_times=self._cold_start.compile_times(self.compilations.drafts, roots),
            lookups=lookups,
            collectives=self._collectives,
            logging_ns=self._cold_start.logging_ns,
            has_spans=self._cold_start.has_spans,
            lost_ends=self._cold_start.lost_ends,
            lanes=self._cold_start.lanes(),
            traced_lines=self._cold_start.traced_lines(),
            lowered=frozenset(self._lowered),
            ahead=self.compilations.ahead,
            cuda_graphs=self._cuda_graphs.build(lambda key: graph_inputs(captured.get(key))),
            codes=codes,
            graphs=graphs,
            recorded=account.records(),
            stored=account.places(),
        )

    def _dropped_time(self) -> tuple[StageTime, ...]:
        """Compile time whose stages were dropped from the log, as a stage of its own."""
        dropped = next(reversed(self.account.of(Dropped)), None)
        time_ns = dropped.counts.get("compile_time_ns", 0) if dropped else 0
        return (StageTime("details dropped", time_ns),) if time_ns else ()

    def _rank_of(self, environment: Environment | None) -> int | None:
        """The process group's rank; before it is made, the launcher's."""
        return self._rank if self._rank is not None or environment is None else environment.rank

    def _versions(self, environment: Environment | None) -> dict[str, str]:
        """Versions by package; that of torch a plain trace has, too."""
        versions = dict(environment.versions) if environment else {}
        if self._torch_version:
            versions.setdefault("torch", self._torch_version)
        return versions
