"""A recorded program: its processes, and how the recording began and ended."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from typing import TypeVar

from inspector.records.calls import LateHook, TargetCall
from inspector.records.environment import End, Problem
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.record import Record
from inspector.records.timeline import CallProfile
from inspector.run.boundary import Boundary
from inspector.run.compilation import Compilation, Frame
from inspector.run.compile_time import CompilationTime, LineTime, StageTime
from inspector.run.cuda_graphs import CudaGraphs
from inspector.run.graph_break import GraphBreak
from inspector.run.graph_places import GraphPlaces, OutputCodes
from inspector.run.lanes import Lane
from inspector.run.pieces import Piece
from inspector.run.source import Sources
from inspector.shared.meta import Meta
from inspector.shared.roots import Roots
from inspector.trace.caches import CacheLookup, CacheState
from inspector.trace.payload import Payload

_R = TypeVar("_R", bound=Record)


@dataclasses.dataclass(frozen=True, slots=True)
class LogWarning:
    """Something in a log that could not be read.

    Attributes:
        line: Line number in the log, from 1, if the warning concerns a single line.
    """

    file: str
    line: int
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Process:
    """One process of the run.

    Attributes:
        skipped: Frames that Dynamo skipped without logging an event.
        compile_time_ns: Wall time of all compilations; overlapping intervals count once.
        stages: Compile time by stage. The times sum to ``compile_time_ns``.
        has_inspector_events: Whether the log contains artifacts of torch-inspector; false for a
            plain trace.
        boundaries: What goes into a graph and what comes out, by the text of its compile id; read
            where there is a profile or a graph break.
        has_spans: Whether its log has spans of compilation; else the times are the metrics'.
        logs_breaks: Whether its torch records graph breaks, as 2.6 and later do.
        lost_ends: How many spans of compilation have no end in the log and were ended with what is
            around them.
        lowered: The compilations that Inductor lowered, or found in its caches, by the text of
            their compile id: known from what it logs, whoever asked for it.
        ahead: What compiled without running the program: ``torch.export``, ``AOTInductor``,
            ``aot_compile``.
        unknown_events: Number of log events unknown to this version, by their names.
        pieces: What vLLM compiled part by part.
        collectives: What a graph exchanges with other ranks, in order, by compile id.
        configs: Torch's settings at the first compilation: JSON by module, where they are logged.
    """

    host: str
    pid: int
    parent_pid: int | None
    rank: int | None
    versions: Mapping[str, str]
    hardware: Mapping[str, object]
    calls: tuple[TargetCall, ...]
    frames: tuple[Frame, ...]
    skipped: tuple[SkippedFrame, ...]
    compile_time_ns: int
    stages: tuple[StageTime, ...]
    unknown_events: Mapping[str, int]
    has_inspector_events: bool
    boundaries: Mapping[str, Boundary] = dataclasses.field(default_factory=dict)
    compile_times: tuple[CompilationTime, ...] = ()
    lookups: tuple[CacheLookup, ...] = ()
    collectives: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    configs: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    logging_ns: int = 0
    has_spans: bool = True
    logs_breaks: bool = True
    lost_ends: int = 0
    lanes: tuple[Lane, ...] = ()
    traced_lines: tuple[LineTime, ...] = ()
    lowered: frozenset[str] = frozenset()
    ahead: tuple[str, ...] = ()
    cuda_graphs: CudaGraphs = dataclasses.field(default_factory=CudaGraphs)
    codes: OutputCodes = dataclasses.field(default_factory=OutputCodes)
    graphs: GraphPlaces = dataclasses.field(default_factory=GraphPlaces)
    pieces: tuple[Piece, ...] = ()
    recorded: Mapping[type[Record], tuple[Record, ...]] = dataclasses.field(default_factory=dict)
    stored: Mapping[type[Record], tuple[Payload, ...]] = dataclasses.field(default_factory=dict)

    def records(self, kind: type[_R]) -> tuple[_R, ...]:
        """Our own records of a type, or of those derived from it, in order of each type."""
        found = (items for each, items in self.recorded.items() if issubclass(each, kind))
        return tuple(itertools.chain.from_iterable(found))  # type: ignore[arg-type]

    def last(self, kind: type[_R]) -> _R | None:
        """The last record of a type, or None."""
        return next(reversed(self.records(kind)), None)

    def with_records(self, *records: Record) -> Process:
        """The process with these records in place of those that it has of their types."""
        own = {type(item): tuple(r for r in records if type(r) is type(item)) for item in records}
        return dataclasses.replace(self, recorded={**self.recorded, **own})

    @property
    def problems(self) -> tuple[str, ...]:
        """Errors in the recorder, one sentence each."""
        return tuple(f"{item.where}: {item.error}" for item in self.records(Problem))

    @property
    def late_hooks(self) -> tuple[LateHook, ...]:
        """Hooks on compiled modules that no later compilation has taken in."""
        newest = {hook.number: hook for hook in self.records(LateHook)}
        return tuple(hook for hook in newest.values() if not hook.is_compiled)

    @property
    def cache_hits(self) -> Mapping[str, int]:
        """Number of graphs found in a cache, by cache name."""
        hits = [item.cache for item in self.lookups if item.state is CacheState.HIT]
        return {name: hits.count(name) for name in ("AOTAutograd", "FX graph") if name in hits}

    @property
    def profiles(self) -> tuple[CallProfile, ...]:
        """Warm calls under torch's profiler, where any were."""
        return self.records(CallProfile)

    @property
    def ended(self) -> bool:
        """Whether it ended normally.

        One that was killed, left with ``os._exit``, is still at work, or of a plain trace did not.
        """
        return bool(self.records(End))


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """A recorded program.

    Attributes:
        processes: Processes of the run, sorted by rank, or in the order of their logs if they have
            no rank.
        place: What commands about it name, or an empty string where they find it without: it is
            the newest recording.
    """

    meta: Meta
    processes: tuple[Process, ...]
    roots: Roots
    sources: Sources
    warnings: tuple[LogWarning, ...]
    place: str = ""

    def records(self, kind: type[_R]) -> tuple[_R, ...]:
        """Our own records of a type, of all processes."""
        return tuple(record for process in self.processes for record in process.records(kind))

    @property
    def torch(self) -> str:
        """The version of torch, or an empty string."""
        return next((p.versions["torch"] for p in self.processes if "torch" in p.versions), "")

    @property
    def processor(self) -> str:
        """The CPU's name, or an empty string."""
        names = (process.hardware.get("cpu") for process in self.processes)
        return next((str(name) for name in names if name), "")

    @property
    def compilations(self) -> tuple[Compilation, ...]:
        """All compilations of all processes, in order."""
        return tuple(
            compilation
            for process in self.processes
            for frame in process.frames
            for compilation in frame.compilations
        )

    @property
    def graph_breaks(self) -> tuple[GraphBreak, ...]:
        """All records of graph breaks, in order."""
        return tuple(item for compilation in self.compilations for item in compilation.graph_breaks)
