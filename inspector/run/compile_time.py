"""Compile time: whose it is, of which stage, and what the compiler's caches had of it."""

import dataclasses
import enum

from inspector.shared.stack import StackFrame


@dataclasses.dataclass(frozen=True, slots=True)
class StageTime:
    """Compile time of one stage.

    Attributes:
        time_ns: Wall time in which this was the innermost stage at work; stages add up.
    """

    stage: str
    time_ns: int


@dataclasses.dataclass(frozen=True, slots=True)
class LineTime:
    """How long Dynamo traced a line of the user's, with what torch's own code below it took.

    Attributes:
        time_ns: Wall time of tracing, without the backend's, over all attempts.
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
        compile_id: In torch's spelling; empty for time that torch gives to none (autotuning).
        occurrence: 0, or how often the id was used before ``torch._dynamo.reset()``.
        is_backward: Whether this is the backward graph, which is compiled when it is first needed.
        user: Where the compiled function was called; None where unknown.
        process: Index of the process in the run, in what is gathered over all of them.
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
        file: File name as the recorded process knew it; empty for time that is nobody's.
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
    """What one cache had.

    Attributes:
        hits: How often something was found; None where torch does not say.
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
        compilations: The same by compilation, adding up to it, in order of time in each process.
        vector_checks: Number of small files compiled to probe the C++ compiler.
        logging_ns: Part of it that torch spent on writing its trace.
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
    """One part of a cache key that is another one now.

    Attributes:
        component: Torch's name of it (``inductor_config[max_autotune]``).
        before: What it was, the changed lines alone; empty where the part was not there.
        opaque: Whether torch prints it without the part that changed.
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
        before: What came of the look-up in the other recording.
        verdict: ``hidden``: the keys differ in no part that torch logs; ``unknown``: it logs none.
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
