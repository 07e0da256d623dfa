"""Gathers what is logged of the compilations of a process, each under its compile id."""

from typing import TypeAlias

from inspector.records.calls import TargetCall
from inspector.records.graph_breaks import BreakPositions, Caller, OperatorRaised
from inspector.records.recompiles import FailedGuards, Identities
from inspector.run.folding.compilation import CompilationDraft
from inspector.trace import dynamo
from inspector.trace.compile_id import CompileId
from inspector.trace.envelope import Envelope
from inspector.trace.failed_trace import FailedTrace
from inspector.trace.graph_break import GraphBreakReason
from inspector.trace.guards import DynamoGuards
from inspector.trace.inductor import GraphLogged
from inspector.trace.payload import Payload
from inspector.trace.timing import ChromiumEvent

_EXPORT, _AHEAD, _PRECOMPILED = "torch.export", "AOTInductor", "aot_compile"
_OfAFrame = (
    dynamo.DynamoStart
    | GraphLogged
    | dynamo.DynamoError
    | GraphBreakReason
    | dynamo.RecompileReasons
)


CompilationRecord: TypeAlias = BreakPositions | Caller | FailedGuards | Identities | OperatorRaised
"""Those of our own that are about one compilation."""


class CompilationsDraft:
    """Takes the events of one process that are about single compilations, in order.

    Attributes:
        ahead: What compiled without running the program: ``torch.export``, ``AOTInductor``,
            ``aot_compile``.
    """

    def __init__(self) -> None:
        self.drafts: list[CompilationDraft] = []
        self.ahead: tuple[str, ...] = ()
        self._current: dict[CompileId, CompilationDraft] = {}
        self._lowered: CompilationDraft | None = None  # by AOTInductor, whose metrics are to come

    @property
    def counts(self) -> tuple[int, int, int]:
        """Frames, graphs and records of graph breaks so far."""
        return (
            len({draft.compile_id.frame_id for draft in self.drafts}),
            sum(len(draft.graph_attempts) for draft in self.drafts),
            sum(len(draft.breaks) for draft in self.drafts),
        )

    @property
    def compiling(self) -> str:
        """Name of the code object whose compilation was begun last, or "" once that has ended."""
        return self.drafts[-1].name if self.drafts and self.drafts[-1].metrics is None else ""

    def add(self, envelope: Envelope, event: object, call: TargetCall | None) -> CompileId:
        """Takes one event.

        Returns:
            The id of the compilation that it is about.
        """
        if isinstance(event, dynamo.CompilationMetrics) and envelope.compile_id is None:
            self._end_export(event)
            return CompileId(None, None)
        draft = self._draft(envelope, event, call)
        match event:
            case dynamo.DynamoStart():
                draft.stack = event.stack
            case GraphLogged():
                draft.graph_attempts.append(envelope.attempt)
                draft.graph_text = event.text
                draft.failed_trace = None
            case FailedTrace():
                # What is traced around it fails with it.
                draft.failed_trace = draft.failed_trace or event
            case GraphBreakReason():
                draft.add_break(envelope.attempt, event)
            case dynamo.DynamoError():
                draft.error = event
            case dynamo.RecompileReasons():
                draft.recompile_reasons = event.reasons
            case (
                dynamo.CreateSymbol()
                | dynamo.SymbolGuard()
                | dynamo.SymbolSpecialized()
                | DynamoGuards()
            ):
                draft.add_fact(envelope.attempt, event)
            # The backward's metrics come later under the forward's id and say nothing of it.
            case dynamo.CompilationMetrics(is_forward=True):
                self._end(draft, event)
            case _:
                _add_ours(draft, event)
        return draft.compile_id

    def add_span(self, event: ChromiumEvent) -> None:
        """What the spans of a recompilation say of it; first compilations need none of it."""
        compile_id = CompileId.parse(event.compile_id.partition("_")[0])
        if compile_id is not None and compile_id.frame_compile_id:
            draft = self._current.get(compile_id)
            if draft is not None:
                draft.facts.add_timed(event)

    def _draft(
        self, envelope: Envelope, event: object, call: TargetCall | None
    ) -> CompilationDraft:
        # What is logged outside of any compilation (it does happen) gets a compilation of its own.
        compile_id = envelope.compile_id or CompileId(None, None)
        draft = self._current.get(compile_id)
        # Symbols and guards alone (of an export, or of compiled autograd) are no frame.
        if draft is None and compile_id.frame_id is None and not isinstance(event, _OfAFrame):
            return CompilationDraft(compile_id, None)
        # torch._dynamo.reset() begins to count anew; these two events begin a compilation.
        begins = isinstance(event, dynamo.DynamoStart | dynamo.RecompileReasons)
        if draft is None or (begins and draft.metrics is not None):
            number, given = (call.call, call.input_index) if call else (None, None)
            draft = self._current[compile_id] = CompilationDraft(compile_id, number, given)
            self.drafts.append(draft)
        return draft

    def begin_ahead(self, compile_id: CompileId | None, graph: Payload | None) -> None:
        """Takes that AOTInductor has lowered a graph, which Dynamo need not have captured.

        Args:
            graph: Where the text of the graph that Inductor took is, or None: up to torch 2.6,
                which logs none, and whose export captures with Dynamo.
        """
        self._name_ahead(_AHEAD)
        is_captured = graph is None and any(item.graph_attempts for item in self.drafts)
        if is_captured or (compile_id is not None and compile_id in self._current):
            return
        draft = CompilationDraft(CompileId(None, None), None, graph_attempts=[0], graph_text=graph)
        self._lowered = draft
        self.drafts.append(draft)

    def _name_ahead(self, name: str) -> None:
        self.ahead = tuple(dict.fromkeys((*self.ahead, name)))

    def _end(self, draft: CompilationDraft, event: dynamo.CompilationMetrics) -> None:
        """Takes the end of a compilation.

        What was captured under an id and then lowered by AOTInductor is one graph, and ends twice:
        the second time nothing is said of it but times (2.13).
        """
        self.drafts = [item for item in self.drafts if item is not self._lowered]
        self._lowered = None
        if draft.metrics is None:
            draft.end(event)

    def _end_export(self, event: dynamo.CompilationMetrics) -> None:
        """Takes the end of what no frame is named for, and what it is the end of, if it is known.

        Strict ``torch.export`` traces without the event that begins a frame, and its guards and
        metrics have no compile id (torch/_dynamo/functional_export.py, 2.13).
        """
        lowered, self._lowered = self._lowered, None
        if lowered is not None:
            lowered.end_export(event, _AHEAD)
            return
        newest = self.drafts[-1] if self.drafts else None
        if newest and newest.graph_attempts and newest.metrics is None and not newest.stack:
            # Only what is compiled to be called times its guards.
            name = _EXPORT if event.guard_latency_ns is None else _PRECOMPILED
            newest.end_export(event, name)
            self._name_ahead(name)


def _add_ours(draft: CompilationDraft, event: object) -> None:
    """Takes what our own hooks found out beyond what torch logs."""
    match event:
        case Caller():
            draft.caller = event.frame
        case OperatorRaised():
            draft.raised = tuple(event.frames)
        case BreakPositions():
            draft.add_break_details(event)
        case Identities():
            draft.facts.identities = event.objects
            draft.facts.instances = event.instances
        case FailedGuards():
            draft.facts.seen = event
