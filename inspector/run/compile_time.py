"""Compile time: whose it is, of which stage, and what the compiler's caches had of it."""

import dataclasses
import enum

from inspector.shared.stack import StackFrame


@dataclasses.dataclass(frozen=True, slots=True)
class StageTime:
    """Compile time of one stage.

    Attributes:
        time_ns: Wall time in which this was the innermost active stage. The times of all stages sum
            to the compile time.
    """

    stage: str
    time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class LineTime:
    """Time that Dynamo spent tracing a user line, including torch code called from it.

    Attributes:
        time_ns: Wall time of tracing over all attempts, without the backend.
    """

    file: str
    line: int
    name: str
    time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class CompilationTime:
    """Compile time of one compilation, of its forward or of its backward half.

    The times of all of these add up to the compile time of the process.

    Attributes:
        compile_id: Compile id; none for time that torch assigns to no compilation (autotuning).
        occurrence: Number of earlier uses of the compile id before ``torch._dynamo.reset()``.
        is_backward: Whether this is the backward graph, which is compiled when it is first needed.
        user: Where the compiled function was called; None where unknown.
        process: Index of the process in the run.
    """

    compile_id: str
    occurrence: int
    is_backward: bool
    begin_ns: int
    stages: tuple[StageTime, ...]
    name: str = ""
    file: str = ""
    first_line: int = 0
    user: StackFrame | None = None
    process: int = 0

    @property
    def time_ns(self) -> int:
        """Its time over all stages."""
        return sum(stage.time_ns for stage in self.stages)


@dataclasses.dataclass(frozen=True, slots=True)
class PlaceTime:
    """Compile time of a place in the source: of a code object, or of a user's line.

    Attributes:
        file: File name in the recorded process; none for time that belongs to no source file.
        line: The line: the code object's first, or the user's.
        compilations: Number of its compilations, without backward halves.
    """

    file: str
    line: int
    name: str
    compilations: int
    stages: tuple[StageTime, ...]
    processes: tuple[int, ...]

    @property
    def time_ns(self) -> int:
        """The time over all stages."""
        return sum(stage.time_ns for stage in self.stages)


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """Why a cache was bypassed."""

    text: str
    exception: str
    count: int
    compile_ids: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class CacheUse:
    """Hits, misses and bypasses of one cache.

    Attributes:
        hits: Number of cache hits; None if torch does not report it.
        guard_misses: Number of misses that found entries whose guards failed.
    """

    cache: str
    hits: int | None
    misses: int
    bypasses: int
    guard_misses: int
    saved_ns: int
    reasons: tuple[Reason, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ColdStart:
    """Where the compile time of a run went.

    Attributes:
        compilations: Compile time by compilation, in chronological order within each process. The
            times sum to ``compile_time_ns``.
        vector_checks: Number of small files compiled to probe the C++ compiler.
        logging_ns: Part of the compile time that torch spent on writing its trace.
        traced_lines: How long Dynamo traced each line, the longest first; empty if unmeasured.
    """

    time_ns: int
    stages: tuple[StageTime, ...]
    compilations: tuple[CompilationTime, ...]
    frames: tuple[PlaceTime, ...]
    lines: tuple[PlaceTime, ...]
    caches: tuple[CacheUse, ...]
    vector_checks: int
    logging_ns: int
    traced_lines: tuple[LineTime, ...] = ()


class KeyVerdict(enum.Enum):
    """What a comparison of two cache keys says."""

    SAME = "same"
    CHANGED = "changed"
    HIDDEN = "hidden"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A component of a cache key that has changed.

    Attributes:
        component: Torch's name of it (``inductor_config[max_autotune]``).
        before: Previous value, reduced to the changed lines; empty if the component did not exist.
        opaque: Whether torch's printed value omits the part that changed.
    """

    component: str
    what: str
    before: tuple[str, ...]
    now: tuple[str, ...]
    opaque: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class KeyChange:
    """How the key of one graph differs between two recordings.

    Attributes:
        before: Result of the lookup in the other recording.
        verdict: Result of comparing the keys: ``same``, ``changed``, ``hidden`` (the difference is
            not in torch's log) or ``unknown`` (torch logs no components).
    """

    cache: str
    process: int
    name: str
    compile_id: str
    is_backward: bool
    before: str
    now: str
    verdict: KeyVerdict
    changes: tuple[Change, ...] = ()
