"""Compile time: whose it is, and of which stage."""

from __future__ import annotations

import dataclasses

from inspector.model.stack import StackFrame


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

    @property
    def time_ns(self) -> int:
        """Its time over all stages."""
        return sum(stage.time_ns for stage in self.stages)
