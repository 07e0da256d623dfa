"""A recorded program: its processes, and how the recording began and ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.bench import InspectorBench
from inspector.events.ceilings import InspectorCeilings, InspectorDeviceState
from inspector.events.kernel_bench import InspectorKernelBench
from inspector.events.payload import Payload
from inspector.events.warmup import InspectorWarmup
from inspector.model.boundary import Boundary
from inspector.model.cache_lookup import CacheLookup
from inspector.model.compilation import Compilation, Frame
from inspector.model.compile_time import CompilationTime, LineTime, StageTime
from inspector.model.cuda_graphs import CudaGraphs
from inspector.model.graph_break import GraphBreak
from inspector.model.graph_places import GraphPlaces
from inspector.model.lanes import Lane
from inspector.model.output_code import OutputCodes
from inspector.model.roots import Roots
from inspector.model.source import Sources
from inspector.model.timeline import Profile
from inspector.records.autotuning import Autotuned
from inspector.records.calls import LateHook, TargetCall, TargetFunction, Uncaught, Unmeasured
from inspector.records.environment import Dropped
from inspector.records.graph_breaks import SkippedFrame
from inspector.records.timeline import CopyRates
from inspector.records.trial import TrialResult


@dataclasses.dataclass(frozen=True, slots=True)
class LogWarning:
    """Something in a log that could not be read.

    Attributes:
        file: The log's name.
        line: Line number in it, from 1, or 0 where it is about the whole file.
        message: What is wrong, in one sentence.
    """

    file: str
    line: int
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Process:
    """What one process did.

    Attributes:
        host: The machine, or an empty string where the log does not say.
        pid: Process id.
        parent_pid: Process id of whoever started it, or None.
        rank: Rank in a distributed job, or None.
        versions: Versions by package name.
        hardware: Facts about the machine by name.
        target: What was asked to be compiled, or None (a program, a plain trace).
        calls: The calls of the target.
        frames: The frames that Dynamo met, in order.
        skipped: The frames that it left alone without an event.
        compile_time_ns: Union of the wall intervals of all compilations.
        stages: The same time by stage, adding up to it.
        unknown_events: Events that this version does not know, with their counts.
        problems: What failed in our own hooks.
        has_inspector_events: Whether the log has our own artifacts (a plain trace has none).
        profiles: Warm calls under torch's profiler, where any were.
        copy_rates: How fast memory was copied there, or None where nobody measured it.
        boundaries: What goes into a graph and what comes out, by the text of its compile id; read
            where there is a profile or a graph break.
        trial: What a process of ``--verify`` found out, or None.
        ended: Whether the process said that it came to its end in order; one that was killed, that
            left with ``os._exit``, that is still at work, or of another format, did not.
        raised: The exceptions that nobody caught: what ended the process, a thread of it, or the
            call of a target.
        late_hooks: Hooks that were registered on compiled modules, and that no later compilation
            has taken in.
        cache_hits: Graphs that were found in a cache, by its name (``FX graph``, ``AOTAutograd``).
        dropped: What was dropped to keep its logs below a size, or None.
        compile_times: Compile time by compilation, in the order in which they began.
        lookups: What was looked for in the compiler's caches, in order.
        logging_ns: What torch spent on writing this log while it compiled, as torch says.
        has_spans: Whether its log has spans of compilation; else the times are the metrics'.
        lost_ends: How many spans of compilation have no end in the log and were ended with what is
            around them.
        lanes: The spans of compilation side by side, where they were asked for.
        traced_lines: How long Dynamo traced each line, where that was measured.
        lowered: The compilations that Inductor lowered, or found in its caches, by the text of
            their compile id: known from what it logs, whoever asked for it.
        ahead: What compiled without running the program: ``torch.export``, ``AOTInductor``,
            ``aot_compile``.
        codes: Where the code is that Inductor generated.
        graphs: Where the graphs of all stages are.
        device_profiles: Where the profiles of `inspect profile` are, one for each input.
        memory_profiles: Where it is what the calls of `inspect profile` allocate, likewise.
        ceilings: What the machine can do, or None where nobody measured it.
        device_states: Clocks and power of the GPU around the profile of each input.
        autotuned: What autotuning tried, in order; recorded for profiles alone.
        kernel_bench: One kernel that was timed alone, or None.
        benches: What a process of `inspect bench` found out, in order.
        warmups: What a process of `inspect bench --warmup` found out, in order.
        unmeasured: Why calls with an input could not be measured.
    """

    host: str
    pid: int
    parent_pid: int | None
    rank: int | None
    versions: Mapping[str, str]
    hardware: Mapping[str, object]
    target: TargetFunction | None
    calls: tuple[TargetCall, ...]
    frames: tuple[Frame, ...]
    skipped: tuple[SkippedFrame, ...]
    compile_time_ns: int
    stages: tuple[StageTime, ...]
    unknown_events: Mapping[str, int]
    problems: tuple[str, ...]
    has_inspector_events: bool
    profiles: tuple[Profile, ...] = ()
    copy_rates: CopyRates | None = None
    boundaries: Mapping[str, Boundary] = dataclasses.field(default_factory=dict)
    trial: TrialResult | None = None
    ended: bool = False
    raised: tuple[Uncaught, ...] = ()
    late_hooks: tuple[LateHook, ...] = ()
    cache_hits: Mapping[str, int] = dataclasses.field(default_factory=dict)
    dropped: Dropped | None = None
    compile_times: tuple[CompilationTime, ...] = ()
    lookups: tuple[CacheLookup, ...] = ()
    logging_ns: int = 0
    has_spans: bool = True
    lost_ends: int = 0
    lanes: tuple[Lane, ...] = ()
    traced_lines: tuple[LineTime, ...] = ()
    lowered: frozenset[str] = frozenset()
    ahead: tuple[str, ...] = ()
    cuda_graphs: CudaGraphs = dataclasses.field(default_factory=CudaGraphs)
    codes: OutputCodes = dataclasses.field(default_factory=OutputCodes)
    graphs: GraphPlaces = dataclasses.field(default_factory=GraphPlaces)
    device_profiles: tuple[Payload, ...] = ()
    memory_profiles: tuple[Payload, ...] = ()
    ceilings: InspectorCeilings | None = None
    device_states: tuple[InspectorDeviceState, ...] = ()
    autotuned: tuple[Autotuned, ...] = ()
    kernel_bench: InspectorKernelBench | None = None
    benches: tuple[InspectorBench, ...] = ()
    warmups: tuple[InspectorWarmup, ...] = ()
    unmeasured: tuple[Unmeasured, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Meta:
    """What a recording says about itself.

    Attributes:
        format_version: Version of the recording's format; 0 for a plain trace.
        name: The recording's number in the store or the file's name.
        target: What was recorded, as the user wrote it, or an empty string.
        settings: Settings by name, as they were asked for.
        started: UTC in ISO 8601, or an empty string.
        partial: Why the recording is not complete, in one sentence, or an empty string.
        error: What failed in the recorded program, in one sentence, or an empty string.
        error_detail: The user's own traceback, or an empty string.
        error_exit_code: Exit code that belongs to ``error``, or 0.
        exit_code: The program's own exit code, 128 and its number for a signal; None where nobody
            knows it, or where a target was called.
        ended: How it ended: ``running`` (its recorder is at work, or was cut off), ``whole``,
            ``failed`` (the target, or the writing of the log), ``interrupted``, ``timed-out`` or
            ``killed``.
    """

    format_version: int
    name: str
    target: str = ""
    settings: Mapping[str, object] = dataclasses.field(default_factory=dict)
    started: str = ""
    partial: str = ""
    error: str = ""
    error_detail: str = ""
    error_exit_code: int = 0
    exit_code: int | None = None
    ended: str = "whole"


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """A recorded program.

    Attributes:
        meta: What the recording says about itself.
        processes: Its processes, by rank, else in the order of their logs.
        roots: Whose code a file is.
        sources: The source text that the recording carries.
        warnings: What could not be read.
        place: What commands about it name, or an empty string where they find it without: it is
            the newest recording.
    """

    meta: Meta
    processes: tuple[Process, ...]
    roots: Roots
    sources: Sources
    warnings: tuple[LogWarning, ...]
    place: str = ""

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
