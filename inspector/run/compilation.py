"""Frames and their compilations."""

import dataclasses
import enum
from collections.abc import Mapping

from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.recompile import Recompile, SymbolUse
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId
from inspector.trace.guards import DynamoSettings
from inspector.trace.payload import Payload


class FrameState(enum.Enum):
    """What became of a frame."""

    COMPILED = "compiled"
    SKIPPED = "skipped"
    FAILED = "failed"
    UNFINISHED = "unfinished"


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """The exception that ended a compilation.

    Attributes:
        stack: The user's stack where it happened, outermost first; empty where unknown.
        has_operator: Whether that ends at the operator that failed, and not in the backend's code.
        in_implementation: Whether the implementation of an operator raised it: a fake one.
    """

    type: str
    reason: str
    stack: tuple[StackFrame, ...]
    has_operator: bool = False
    in_implementation: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Compilation:
    """One compilation of a frame, over all of its attempts.

    Attributes:
        call: Number of earlier target calls with the same input when it happened (0 in the first
            call), or None if unknown.
        input: Number of the input of that call, from 0, or None if unknown.
        graphs: Graphs handed to the backend and compiled.
        has_guarded_code: Whether it produced code, or None if it did not finish.
        recompile_reasons: Why no cache entry matched, newest entry first.
        guard_latency_ns: Torch's own figure for its guards, cold caches of the processor, or None.
        symbols: Values that sizes and numbers had which it keeps dynamic, by source.
    """

    compile_id: CompileId
    call: int | None
    stack: tuple[StackFrame, ...]
    graphs: int
    operators: int | None
    guards: int | None
    has_guarded_code: bool | None
    failure: Failure | None
    restart_reasons: tuple[str, ...]
    recompile_reasons: tuple[str, ...]
    hit_limit: bool
    graph_breaks: tuple[GraphBreak, ...]
    finished: bool
    start_time_ns: int | None
    duration_ns: int | None
    specialized: tuple[SymbolUse, ...] = ()
    recompile: Recompile | None = None
    guards_text: Payload | None = None
    guard_latency_ns: int | None = None
    settings: DynamoSettings | None = None
    symbols: Mapping[str, float] = dataclasses.field(default_factory=dict)
    input: int | None = None

    @property
    def raised(self) -> bool:
        """Whether an exception ended it that is neither a graph break nor the recompile limit."""
        gave_up = any(item.outcome is Outcome.FRAME_SKIPPED for item in self.graph_breaks)
        return self.failure is not None and not gave_up and not self.hit_limit

    @property
    def gave_nothing(self) -> bool:
        """Whether it ended in order and without code, as where no operator is left to compile.

        Dynamo skips the function from then on, for inputs that were compiled before too (tried with
        torch 2.11 and 2.13; ``FrameAction.SKIP`` in torch/csrc/dynamo/eval_frame.c). Where it
        traced to the end, the metrics claim code, and have neither guards nor a graph: code that
        was made has guards, of the global state at least.
        """
        no_code = self.has_guarded_code is False or (self.guards is None and not self.graphs)
        is_over = self.finished and no_code
        return is_over and not self.raised and not self.hit_limit

    @property
    def is_recompile(self) -> bool:
        """Whether it compiled, or tried to compile, a code object for a further time."""
        return bool(self.compile_id.frame_compile_id) and not self.hit_limit


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A code object and its compilations."""

    frame_id: int | None
    name: str
    file: str
    first_line: int
    compilations: tuple[Compilation, ...]

    @property
    def state(self) -> FrameState:
        """``compiled`` if a compilation gave a graph; else ``failed``, ``skipped``, ``unfinished``.

        A frame that a graph break made Dynamo give up runs eagerly and is skipped, not failed.
        """
        if any(item.has_guarded_code and item.graphs for item in self.compilations):
            return FrameState.COMPILED
        if any(item.raised for item in self.compilations):
            return FrameState.FAILED
        if all(item.finished for item in self.compilations):
            return FrameState.SKIPPED
        return FrameState.UNFINISHED
