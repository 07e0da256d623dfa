"""Folds the envelopes of one process into a `Process`."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from inspector.builder.cold_start import ColdStartDraft, graph_hits
from inspector.builder.compilation import CompilationDraft
from inspector.builder.cuda_graphs import CudaGraphsDraft
from inspector.builder.graph_places import GraphPlacesDraft
from inspector.builder.measurements import Measurements
from inspector.builder.output_codes import OutputCodesDraft
from inspector.builder.recompile import make_recompile, specialized_symbols
from inspector.builder.recompile_facts import CompileFacts, SymbolEvent
from inspector.events.autotuned import InspectorAutotuned
from inspector.events.bench import InspectorBench
from inspector.events.caches import CacheArtifact, CodeState, TritonKernels
from inspector.events.ceilings import InspectorCeilings, InspectorDeviceState
from inspector.events.compile_id import CompileId
from inspector.events.cpp_kernel import InspectorCppKernel
from inspector.events.cuda_graph import (
    InspectorCudaGraph,
    InspectorCudaGraphCalls,
    InspectorCudaGraphPartitions,
    InspectorCudaGraphSkip,
)
from inspector.events.device_profile import InspectorDeviceProfile
from inspector.events.dynamo import (
    CompilationMetrics,
    CreateSymbol,
    DynamoError,
    DynamoOutputGraph,
    DynamoStart,
    RecompileReasons,
    SymbolGuard,
    SymbolSpecialized,
    TorchVersion,
)
from inspector.events.envelope import Envelope
from inspector.events.fusion import InspectorFusion
from inspector.events.gpu_target import InspectorGpuTarget
from inspector.events.graph_break import GraphBreakReason
from inspector.events.graph_logged import GraphLogged
from inspector.events.graph_nodes import InspectorGraph
from inspector.events.guards import DynamoGuards, InspectorGuardCosts
from inspector.events.inductor import InductorStage, OutputCode
from inspector.events.inspector import (
    InspectorCall,
    InspectorCaller,
    InspectorDropped,
    InspectorEnd,
    InspectorEnvironment,
    InspectorGraphBreak,
    InspectorLineTimes,
    InspectorProblem,
    InspectorSkippedFrame,
    InspectorSource,
    InspectorTarget,
)
from inspector.events.kernel_bench import InspectorKernelBench
from inspector.events.memory_profile import InspectorMemoryProfile
from inspector.events.payload import Payload
from inspector.events.profile import InspectorCopyRates, InspectorProfile
from inspector.events.recompile import InspectorRecompile
from inspector.events.registry import UnknownEvent, read
from inspector.events.timing import ChromiumEvent
from inspector.events.trial import InspectorTrial
from inspector.events.triton_kernel import InspectorTritonKernel
from inspector.events.warmup import InspectorWarmup
from inspector.model.compilation import Compilation, Frame, SkippedFrame
from inspector.model.compile_time import StageTime
from inspector.model.roots import Roots
from inspector.model.run import Process
from inspector.model.stack import below_recorder, plain_frame

__all__ = ["ProcessBuilder"]


class ProcessBuilder:
    """Takes the envelopes of one process in the order of its log.

    Args:
        pid: Its process id.
        keep_spans: Whether spans of compilation are kept for a timeline.
    """

    def __init__(self, pid: int, *, keep_spans: bool = False) -> None:
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
        self._lowered: set[str] = set()
        self._dropped: InspectorDropped | None = None
        self._compilations: list[CompilationDraft] = []
        self._current: dict[CompileId, CompilationDraft] = {}
        self._skipped: list[InspectorSkippedFrame] = []
        self._cold_start = ColdStartDraft(keep_spans=keep_spans)
        self._measurements = Measurements()
        self._cuda_graphs = CudaGraphsDraft()
        self._codes = OutputCodesDraft()
        self._graphs = GraphPlacesDraft()
        self._device_profiles: list[Payload] = []
        self._memory_profiles: list[Payload] = []
        self._ceilings: InspectorCeilings | None = None
        self._device_states: list[InspectorDeviceState] = []
        self._autotuned: list[InspectorAutotuned] = []
        self._kernel_bench: InspectorKernelBench | None = None
        self._benches: list[InspectorBench] = []
        self._warmups: list[InspectorWarmup] = []
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

    def _take(self, envelope: Envelope, event: object) -> None:
        match event:
            case (
                CacheArtifact()
                | ChromiumEvent()
                | CodeState()
                | GraphLogged()
                | InductorStage()
                | InspectorCppKernel()
                | InspectorFusion()
                | InspectorGpuTarget()
                | InspectorGraph()
                | InspectorTritonKernel()
                | OutputCode()
            ):
                self._take_of_stage(envelope, event)
            case InspectorLineTimes() | TritonKernels():
                self._cold_start.add_said(envelope.compile_id, event)
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
            case (
                InspectorProfile()
                | InspectorAutotuned()
                | InspectorBench()
                | InspectorWarmup()
                | InspectorCeilings()
                | InspectorCopyRates()
                | InspectorDeviceProfile()
                | InspectorDeviceState()
                | InspectorMemoryProfile()
                | InspectorKernelBench()
                | InspectorTrial()
            ):
                self._take_measured(event)
            case (
                InspectorCudaGraph()
                | InspectorCudaGraphCalls()
                | InspectorCudaGraphPartitions()
                | InspectorCudaGraphSkip()
            ):
                self._cuda_graphs.add(event)
            case _:
                self._take_of_compilation(envelope, event)

    def _take_measured(
        self,
        event: InspectorProfile
        | InspectorAutotuned
        | InspectorBench
        | InspectorWarmup
        | InspectorCeilings
        | InspectorCopyRates
        | InspectorDeviceProfile
        | InspectorDeviceState
        | InspectorMemoryProfile
        | InspectorKernelBench
        | InspectorTrial,
    ) -> None:
        match event:
            case InspectorDeviceProfile(text=text):
                self._device_profiles += [text] if text is not None else []
            case InspectorAutotuned():
                self._autotuned.append(event)
            case InspectorMemoryProfile(text=text):
                self._memory_profiles += [text] if text is not None else []
            case InspectorCeilings():
                self._ceilings = event
            case InspectorDeviceState():
                self._device_states.append(event)
            case InspectorKernelBench():
                self._kernel_bench = event
            case InspectorBench():
                self._benches.append(event)
            case InspectorWarmup():
                self._warmups.append(event)
            case InspectorTrial():
                self._trial = event
            case _:
                self._measurements.add(event)

    def _take_of_stage(
        self,
        envelope: Envelope,
        event: CacheArtifact
        | ChromiumEvent
        | CodeState
        | GraphLogged
        | InductorStage
        | InspectorCppKernel
        | InspectorFusion
        | InspectorGpuTarget
        | InspectorGraph
        | InspectorTritonKernel
        | OutputCode,
    ) -> None:
        match event:
            case (
                InductorStage()
                | InspectorCppKernel()
                | InspectorGraph()
                | InspectorGpuTarget()
                | InspectorTritonKernel()
                | OutputCode()
            ):
                compile_id = str(envelope.compile_id or "")
                self._codes.add(compile_id, event)
                if isinstance(event, InductorStage | InspectorGraph):
                    self._graphs.add(compile_id, event)
            case ChromiumEvent():
                self._cold_start.add_event(event)
                self._cuda_graphs.add_span(event)
                self._add_to_recompile(event)
            case CacheArtifact() | CodeState():
                self._cold_start.add_said(envelope.compile_id, event)
            case GraphLogged() | InspectorFusion():
                self._graphs.add(str(envelope.compile_id or ""), event)
        # Other backends come by AOTAutograd's cache, too, and miss it.
        is_inductors = isinstance(event, CacheArtifact) and (
            event.state == "hit" or event.cache == "FX graph"
        )
        if is_inductors or isinstance(event, InductorStage | OutputCode):
            self._lowered.add(str(envelope.compile_id))

    def _take_of_compilation(self, envelope: Envelope, event: object) -> None:
        draft = self._draft(envelope, event)
        match event:
            case DynamoStart() | InspectorCaller():
                self._take_stack(draft, event)
            case DynamoOutputGraph():
                draft.graph_attempts.append(envelope.attempt)
                self._measurements.add_graph(draft.compile_id, event)
                self._codes.add(str(draft.compile_id), event)
                self._graphs.add(str(draft.compile_id), event)
            case GraphBreakReason():
                draft.add_break(envelope.attempt, event)
            case InspectorGraphBreak():
                draft.add_positions(event.positions)
            case DynamoError():
                draft.error_stack = event.stack
            case RecompileReasons():
                draft.recompile_reasons = event.reasons
            case InspectorGuardCosts() | InspectorRecompile():
                _take_seen(draft, event)
            case CreateSymbol() | SymbolGuard() | SymbolSpecialized() | DynamoGuards():
                self._add_fact(draft, envelope.attempt, event)
            # The backward's metrics come later under the forward's id and say nothing of it.
            case CompilationMetrics():
                draft.metrics = event if event.is_forward else draft.metrics
                self._cold_start.add_metrics(draft.compile_id, event)
                self._cuda_graphs.add_metrics(draft.compile_id, event)

    def _take_stack(self, draft: CompilationDraft, event: DynamoStart | InspectorCaller) -> None:
        if isinstance(event, InspectorCaller):
            draft.caller = event.frame
        else:
            self._note_torch(event)
            draft.stack = event.stack

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
        stages = (*self._cold_start.stages(), *self._dropped_time())
        lookups = self._cold_start.lookups()
        environment = self.environment
        versions = dict(environment.versions) if environment else {}
        if self._torch_version:
            versions.setdefault("torch", self._torch_version)
        frames = tuple(self._frames(roots))
        broke = any(item.graph_breaks for frame in frames for item in frame.compilations)
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
            frames=frames,
            skipped=tuple(_skipped(item, roots) for item in self._skipped),
            compile_time_ns=sum(stage.time_ns for stage in stages),
            stages=stages,
            unknown_events=dict(self._unknown),
            problems=tuple(self._problems),
            has_inspector_events=environment is not None,
            profiles=self._measurements.profiles(),
            copy_rates=self._measurements.copy_rates(),
            boundaries=self._measurements.boundaries(broke=broke),
            ended=self._ended,
            cache_hits=graph_hits(lookups),
            dropped=self._dropped,
            compile_times=self._cold_start.compile_times(self._compilations, roots),
            lookups=lookups,
            logging_ns=self._cold_start.logging_ns,
            lanes=self._cold_start.lanes(),
            traced_lines=self._cold_start.traced_lines(),
            lowered=frozenset(self._lowered),
            cuda_graphs=self._cuda_graphs.build(self._measurements.graph_inputs),
            codes=self._codes.build(),
            graphs=self._graphs.build(),
            device_profiles=tuple(self._device_profiles),
            memory_profiles=tuple(self._memory_profiles),
            ceilings=self._ceilings,
            device_states=tuple(self._device_states),
            autotuned=tuple(self._autotuned),
            kernel_bench=self._kernel_bench,
            benches=tuple(self._benches),
            warmups=tuple(self._warmups),
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
                compilations=tuple(_compilations(drafts, roots)),
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
            last = self._calls[-1] if self._calls else None
            call, given = (last.call, last.input_index) if last else (None, None)
            draft = self._current[compile_id] = CompilationDraft(compile_id, call, given)
            self._compilations.append(draft)
        return draft

    def _add_fact(
        self, draft: CompilationDraft, attempt: int, event: SymbolEvent | DynamoGuards
    ) -> None:
        draft.facts.add(attempt, event)
        match event:
            case DynamoGuards():
                draft.guards_text = event.text
            case CreateSymbol():
                self._measurements.add(event)
                if isinstance(event.value, int):
                    self._graphs.add_hint(str(draft.compile_id), event.symbol, event.value)
                # Of several attempts the last one counts: the name has another meaning then.
                number = event.number
                if number is not None and event.source:
                    draft.symbols[event.source] = number

    def _add_to_recompile(self, event: ChromiumEvent) -> None:
        """What the spans of a recompilation say of it; first compilations need none of it."""
        compile_id = CompileId.parse(event.compile_id.partition("_")[0])
        if compile_id is not None and compile_id.frame_compile_id:
            draft = self._current.get(compile_id)
            if draft is not None:
                draft.facts.add_timed(event)

    def _note_torch(self, event: DynamoStart) -> None:
        for frame in event.stack:
            self.torch_hint = self.torch_hint.with_torch_from(frame.file)


def _take_seen(draft: CompilationDraft, event: InspectorGuardCosts | InspectorRecompile) -> None:
    match event:
        case InspectorGuardCosts():
            draft.guard_costs = event
        case InspectorRecompile():
            draft.facts.seen = event


def _compilations(drafts: list[CompilationDraft], roots: Roots) -> Iterator[Compilation]:
    """The compilations of a code object, and of all after the first what they were for."""
    entries: dict[str, CompileFacts] = {}
    superseded: set[CompileId] = set()
    for draft in drafts:
        item = draft.build(roots)
        specialized = specialized_symbols(draft.facts, roots)
        if specialized:
            item = dataclasses.replace(item, specialized=specialized)
        if item.is_recompile or item.hit_limit:
            recompile = make_recompile(item, draft.facts, entries, roots, superseded)
            if recompile.entry and recompile.supersedes:
                superseded.add(recompile.entry)
            item = dataclasses.replace(item, recompile=recompile)
        entries[str(item.compile_id)] = draft.facts
        yield item
    for facts in entries.values():
        facts.forget()


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
