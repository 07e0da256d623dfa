"""Gathers what is logged under one compile id, and makes a `Compilation` of it."""

import dataclasses
from collections.abc import Iterator

from inspector.records.graph_breaks import BreakPositions
from inspector.run.compilation import Compilation, Failure
from inspector.run.folding.recompile_facts import CompileFacts, SymbolEvent
from inspector.run.graph_break import Evidence, GraphBreak, Outcome, with_consequences
from inspector.shared.roots import Owner, Roots
from inspector.shared.stack import StackFrame, below_recorder, project_frame, user_frame
from inspector.trace.compile_id import CompileId
from inspector.trace.dynamo import CACHE_LIMIT, CompilationMetrics, CreateSymbol, DynamoError
from inspector.trace.failed_trace import FailedTrace
from inspector.trace.graph_break import (
    BACKEND_FAILED,
    Cause,
    GraphBreakReason,
    Raised,
    operator_stack,
    parse_causes,
)
from inspector.trace.graph_text import parse_graph
from inspector.trace.guards import DynamoGuards
from inspector.trace.payload import Payload

# "Data-dependent jump" is what torch calls it since 2.6.
_NO_REASON = "Data-dependent branch, or another break whose reason this torch version does not log"


@dataclasses.dataclass(slots=True)
class _BreakDraft:
    attempt: int
    reason: GraphBreakReason
    positions: tuple[StackFrame, ...] = ()
    higher_order: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class OlderBreak:
    """A graph break of torch 2.4 or 2.5, whose logs have no record of it.

    Attributes:
        reasons: Why tracing restarted; empty where nothing says why.
    """

    reasons: tuple[str, ...]
    line: int


@dataclasses.dataclass(slots=True)
class CompilationDraft:
    """What has been logged of a compilation so far."""

    compile_id: CompileId
    call: int | None
    input: int | None = None
    stack: tuple[StackFrame, ...] = ()
    caller: StackFrame | None = None
    graph_attempts: list[int] = dataclasses.field(default_factory=list)
    graph_text: Payload | None = None
    failed_graphs: int = 0
    breaks: list[_BreakDraft] = dataclasses.field(default_factory=list)
    recompile_reasons: tuple[str, ...] = ()
    error: DynamoError | None = None
    raised: tuple[StackFrame, ...] = ()
    failed_trace: FailedTrace | None = None
    metrics: CompilationMetrics | None = None
    facts: CompileFacts = dataclasses.field(default_factory=CompileFacts)
    guards_text: Payload | None = None
    symbols: dict[str, float] = dataclasses.field(default_factory=dict)
    older_break: OlderBreak | None = None
    is_refused: bool = False
    is_last: bool = True

    def add_break(self, attempt: int, reason: GraphBreakReason) -> None:
        """Takes a record of a graph break.

        A record without a stack, after a graph of the same attempt, says that the backend refused
        the graph and that Dynamo goes on without it (``unimplemented_with_warning``).
        """
        if not reason.stack and self.graph_attempts[-1:] == [attempt]:
            self.failed_graphs += 1
        is_of_backend = any(cause.gb_id == BACKEND_FAILED for cause in reason.causes[:1])
        if is_of_backend and not reason.operator and self._traced_operator():
            said = self.failed_trace.description if self.failed_trace else ""
            reason = reason.at_frames(self._traced_operator(), said)
        self.breaks.append(_BreakDraft(attempt, reason))

    def add_break_details(self, event: BreakPositions) -> None:
        """Takes what our hook knows of the last record; no positions of another stack."""
        last = self.breaks[-1] if self.breaks else None
        if last is None:
            return
        if len(event.positions) == len(last.reason.stack):
            last.positions = event.positions
        last.higher_order = event.higher_order

    def add_fact(self, attempt: int, event: SymbolEvent | DynamoGuards) -> None:
        """Takes its guards, or what became symbolic and what was assumed of it."""
        self.facts.add(attempt, event)
        match event:
            case DynamoGuards():
                self.guards_text = event.text
            # Of several attempts the last one counts: the name has another meaning then.
            case CreateSymbol(number=int() | float() as number) if event.source:
                self.symbols[event.source] = number

    @property
    def name(self) -> str:
        """Name of the code object, or an empty string."""
        named = self.metrics.name if self.metrics else None
        return named or (self.stack[-1].name if self.stack else "")

    @property
    def file(self) -> str:
        """File of the code object, or an empty string."""
        named = self.metrics.file if self.metrics else None
        return named or (self.stack[-1].file if self.stack else "")

    @property
    def first_line(self) -> int:
        """First line of the code object, or 0."""
        named = self.metrics.first_line if self.metrics else None
        return named or (self.stack[-1].line if self.stack else 0)

    @property
    def hit_limit(self) -> bool:
        """Whether Dynamo refused to compile because of the recompile limit."""
        return self.is_refused or (self.metrics is not None and self.metrics.hit_limit)

    def build(self, roots: Roots) -> Compilation:
        """The compilation, as far as it was logged."""
        metrics = self.metrics
        reason = metrics.recompile_reason if metrics else None
        return Compilation(
            compile_id=self.compile_id,
            call=self.call,
            input=self.input,
            stack=self.caller_stack(roots),
            graphs=self._graphs(),
            operators=metrics.operator_count if metrics else self._traced_operators(),
            guards=metrics.guard_count if metrics else None,
            has_guarded_code=metrics.has_guarded_code if metrics else None,
            failure=self._failure(roots),
            restart_reasons=metrics.restart_reasons if metrics else (),
            recompile_reasons=self.recompile_reasons or ((reason,) if reason else ()),
            hit_limit=self.hit_limit,
            graph_breaks=tuple(self._graph_breaks(roots)),
            finished=metrics is not None or self.is_refused,
            start_time_ns=metrics.start_time_ns if metrics else None,
            duration_ns=metrics.duration_ns if metrics else None,
            guards_text=self.guards_text,
            guard_latency_ns=metrics.guard_latency_ns if metrics else None,
            settings=metrics.settings if metrics else None,
            symbols=self.symbols,
        )

    def _graphs(self) -> int:
        """Graphs that the backend accepted, as far as the end was logged."""
        attempted, failed = len(self.graph_attempts), self.failed_graphs
        if self.metrics is None:
            return max(0, attempted - failed)
        return self.metrics.graphs_of(attempted, failed)

    def end_export(self, said: CompilationMetrics, name: str) -> None:
        """Takes the end of an export, which torch says neither the name nor the size of.

        What is exported is a program, and guards are made for it, too.
        """
        self.metrics = dataclasses.replace(
            said, name=name, has_guarded_code=True,
            operator_count=self._traced_operators() or 0,
        )  # fmt: skip

    def end(self, said: CompilationMetrics) -> None:
        """Takes its metrics; before torch 2.5 the stack ends in what called the function."""
        self.metrics = said
        own = (said.file, said.name)
        is_missing = self.stack and (self.stack[-1].file, self.stack[-1].name) != own
        if not said.logs_breaks and is_missing and said.file and said.name:
            frame = StackFrame(said.file, said.first_line or 0, said.name)
            self.stack = (*self.stack, frame)

    def _traced_operators(self) -> int | None:
        """Those of the graph's text, for where torch has not counted them."""
        if self.graph_text is None:
            return None
        try:
            nodes = parse_graph(self.graph_text.text()).nodes
        except (ValueError, SyntaxError, RecursionError):
            return None  # it was cut off
        return sum(bool(node.operation) for node in nodes)

    def _graph_breaks(self, roots: Roots) -> Iterator[GraphBreak]:
        yield from with_consequences(tuple(self._logged_breaks(roots)))
        yield from self._breaks_of_metrics(roots)
        yield from self._older_break(roots)
        yield from self._raised_break(roots)

    def _logged_breaks(self, roots: Roots) -> Iterator[GraphBreak]:
        for draft in self.breaks:
            reason = draft.reason
            exact = map(_exact, reason.stack, draft.positions) if draft.positions else reason.stack
            whole = below_recorder(tuple(exact), roots)
            # The record's stack ends where the function begins.
            whole = (*whole[:-1], *reason.operator) if reason.operator else whole
            raised = reason.raised.implementation if reason.operator else reason.raised.frames
            stack = (*self._with_header(reason, whole), *_of_project(raised, roots))
            cause = reason.causes[0] if reason.causes else Cause(None, "no reason was recorded")
            outer = cause.higher_order or draft.higher_order
            cause = dataclasses.replace(cause, higher_order=outer)
            yield self._graph_break(
                roots, draft.attempt, cause, reason.causes[1:], Outcome(reason.outcome), stack
            )

    def caller_stack(self, roots: Roots) -> tuple[StackFrame, ...]:
        """The stack down to the compiled frame, outermost first, with its caller where known."""
        caller = [self.caller] if self.caller and self.stack else []
        stack = (*self.stack[:-1], *caller, *self.stack[-1:])
        return below_recorder(stack, roots)

    def _failure(self, roots: Roots) -> Failure | None:
        metrics = self.metrics
        if self.is_refused:
            return Failure(CACHE_LIMIT, "cache_size_limit reached", ())
        if metrics is None or metrics.fail_type is None:
            return None
        reason = metrics.fail_reason or ""
        user = self.error.stack if self.error else ()
        raised = self.error.raised if self.error else Raised()
        operator = () if user else operator_stack(reason) or self._traced_operator()
        implementation = _of_project(raised.implementation, roots) or self.raised
        inner = implementation if operator else _of_project(raised.frames, roots) or self.raised
        stack = (*user, *operator, *inner)
        if not stack and metrics.fail_file:
            stack = (StackFrame(metrics.fail_file, metrics.fail_line or 0, metrics.name or ""),)
        # The stack that was logged when the frame began ends in the frame itself.
        outer = self.caller_stack(roots)[:-1]
        is_named = bool(user or operator)
        return Failure(
            metrics.fail_type, reason, (*outer, *stack),
            has_operator=is_named, in_implementation=bool(implementation),
        )  # fmt: skip

    def _traced_operator(self) -> tuple[StackFrame, ...]:
        """The operator that AOTAutograd traced when the backend failed."""
        found = self.failed_trace.frame if self.failed_trace else None
        return (found,) if found else ()

    def _with_header(
        self, reason: GraphBreakReason, stack: tuple[StackFrame, ...]
    ) -> tuple[StackFrame, ...]:
        """The stack down to where torch says that it broke, which can be missing in the stack."""
        places = {(frame.file, frame.line) for frame in stack}
        if reason.file is None or (reason.file, reason.line) in places:
            return stack
        return (*stack, StackFrame(reason.file, reason.line or 0, self.name))

    def _breaks_of_metrics(self, roots: Roots) -> Iterator[GraphBreak]:
        """Breaks that only the metrics know: an artifact that an older torch or a cut log lacks."""
        known = {cause.title for draft in self.breaks for cause in draft.reason.causes}
        for text in self.metrics.restart_reasons if self.metrics else ():
            cause = next(iter(parse_causes(text)), None)
            # Restarts for other reasons (a specialised float, say) have no such message.
            if cause and cause.gb_type and cause.title not in known:
                stack = self.caller_stack(roots)
                yield self._graph_break(
                    roots, 0, cause, (), Outcome.RESUMED, stack, Evidence.METRICS
                )

    def _older_break(self, roots: Roots) -> Iterator[GraphBreak]:
        older = self.older_break
        if older is None:
            return
        causes = [cause for text in older.reasons for cause in parse_causes(text)]
        first, *others = causes or [Cause(None, _NO_REASON)]
        own = StackFrame(self.file, older.line, self.name)
        stack = (*self.caller_stack(roots)[:-1], own)
        yield self._graph_break(
            roots, 0, first, tuple(others), Outcome.RESUMED, stack, Evidence.PARSED
        )

    def _raised_break(self, roots: Roots) -> Iterator[GraphBreak]:
        """The break that only the failure knows, as ``fullgraph=True`` made it an error."""
        failure = self._failure(roots)
        gave_up = any(draft.reason.outcome == "frame-skipped" for draft in self.breaks)
        if failure is None or failure.type != "Unsupported" or gave_up or self.hit_limit:
            return
        causes = parse_causes(failure.reason)
        if not causes or self.metrics is None:
            return
        # Before 2.6 a function that is skipped fails in the same way, and the program goes on.
        is_skipped = not self.metrics.logs_breaks and not self.is_last
        outcome = Outcome.FRAME_SKIPPED if is_skipped else Outcome.RAISED
        evidence = Evidence.PARSED if is_skipped else Evidence.FAILURE
        yield self._graph_break(roots, 0, causes[0], causes[1:], outcome, failure.stack, evidence)

    def _graph_break(  # noqa: PLR0913, PLR0917 - one parameter per thing that tells two breaks apart
        self,
        roots: Roots,
        attempt: int,
        cause: Cause,
        wrappers: tuple[Cause, ...],
        outcome: Outcome,
        stack: tuple[StackFrame, ...],
        evidence: Evidence = Evidence.ARTIFACT,
    ) -> GraphBreak:
        # A break in a hook that torch itself calls can have no user frame at all.
        user = user_frame(stack, roots) or (stack[-1] if stack else None)
        # The record's stack can lack the callers; the stack with which the frame began has them.
        project = project_frame(stack, roots) or project_frame(self.caller_stack(roots), roots)
        return GraphBreak(
            compile_id=self.compile_id,
            attempt=attempt,
            frame_name=self.name,
            frame_file=self.file,
            frame_line=self.first_line,
            cause=cause,
            wrappers=wrappers,
            outcome=outcome,
            stack=stack,
            user=user,
            project=None if project is user else project,
            has_graph=self._graphs() > 0,
            call=self.call,
            evidence=evidence,
        )


def _of_project(frames: tuple[StackFrame, ...], roots: Roots) -> tuple[StackFrame, ...]:
    """The frames of the user's own files: libraries call their own code everywhere."""
    return tuple(frame for frame in frames if roots.owner(frame.file) is Owner.PROJECT)


def _exact(frame: StackFrame, position: StackFrame) -> StackFrame:
    if (position.file, position.line) != (frame.file, frame.line):
        return frame
    return dataclasses.replace(position, name=frame.name, code=frame.code)
