"""Gathers where compile time went in one process, and what its caches had."""

import collections
import dataclasses
from collections.abc import Collection, Sequence

from inspector.records.graph_breaks import LineTimes
from inspector.run.compile_time import CompilationTime, LineTime, StageTime
from inspector.run.folding.compilation import CompilationDraft
from inspector.run.folding.lanes import LaneBuilder
from inspector.run.folding.lookups import SWITCHED_OFF, Lookups, concerns_caches
from inspector.run.folding.spans import Spans
from inspector.run.lanes import Lane
from inspector.shared.roots import Roots
from inspector.shared.stack import plain_name, user_frame
from inspector.trace.caches import CacheLookup, CacheState, CodeState, TritonKernels
from inspector.trace.compile_id import CompileId
from inspector.trace.dynamo import CompilationMetrics
from inspector.trace.timing import ChromiumEvent


class ColdStartDraft:
    """Takes the events of one process that say something about its cold start, in order.

    Attributes:
        has_spans: Whether the log has any; else times are those of the metrics.
    """

    def __init__(self, *, keep_spans: bool = False) -> None:
        self._lanes = LaneBuilder() if keep_spans else None
        self._spans = Spans()
        self.has_spans = False
        self._of_metrics = _MetricsTimes()
        self._lookups = Lookups()
        self._lines: collections.Counter[tuple[str, int, str]] = collections.Counter()
        self._logging: dict[str, int] = {}

    def add_event(self, event: ChromiumEvent) -> None:
        """Takes the begin or the end of a span, or an instant."""
        if event.phase == "i":
            self._lookups.add_instant(self._asked(event.compile_id), event)
            return
        self.has_spans = True
        ended = self._spans.add(event)
        for span in ended:
            if concerns_caches(span):
                self._lookups.add_span(self._asked(span.compile_id), span)
            if self._lanes:
                self._lanes.add(span)
        if self._lanes and ended and self._spans.pairing.is_idle:
            self._lanes.settle()

    def add_event_of(
        self,
        compile_id: CompileId | None,
        event: CacheLookup | CodeState | LineTimes | TritonKernels,
    ) -> None:
        """Takes what a cache said, or how long the lines of a function were traced."""
        asked = self._asked("" if compile_id is None else str(compile_id))
        match event:
            case CacheLookup():
                self._lookups.add_artifact(asked, event)
            case CodeState():
                self._lookups.add_code_state(asked, event)
            case TritonKernels():
                self._lookups.add_kernels(asked, event)
            case LineTimes():
                for file, line, name, time_ns in event.lines:
                    self._lines[file, line, plain_name(name)] += time_ns

    def add_metrics(self, compile_id: CompileId, event: CompilationMetrics) -> None:
        """Takes the metrics of a compilation, or of its backward half."""
        text = str(compile_id)
        # What torch says is the sum since the id was first used (torch/_logging/_internal.py).
        self._logging[text] = max(self._logging.get(text, 0), event.logging_ns or 0)
        if not self.has_spans and event.is_forward:
            self._of_metrics.add(text, event)

    def traced_lines(self) -> tuple[LineTime, ...]:
        """How long Dynamo traced each line over all attempts, the longest first."""
        return tuple(LineTime(*place, time_ns) for place, time_ns in self._lines.most_common())

    @property
    def logging_ns(self) -> int:
        """What torch spent on the structured trace while it compiled."""
        return sum(self._logging.values())

    def stages(self) -> tuple[StageTime, ...]:
        """Compile time by stage."""
        return self._timed.stages()

    @property
    def lost_ends(self) -> int:
        """How many spans have no end in the log, although their compilation has one."""
        return self._spans.pairing.lost

    @property
    def _timed(self) -> Spans:
        """The spans; of a log without any (torch 2.4) what the metrics say in their place."""
        return self._spans if self.has_spans else self._of_metrics.spans

    def lanes(self) -> tuple[Lane, ...]:
        """The spans side by side, where they are kept."""
        return self._lanes.build(self._spans.pairing.unfinished()) if self._lanes else ()

    def lookups(self, ahead: Collection[str] = ()) -> tuple[CacheLookup, ...]:
        """What was looked up, in order.

        Args:
            ahead: The compilations of AOTInductor, which looks into no cache of graphs: torch calls
                that a cache that is disabled.
        """
        return tuple(
            item
            for item in self._lookups.found()
            if item.compile_id not in ahead or item.reason != SWITCHED_OFF
        )

    def compile_times(
        self, drafts: Sequence[CompilationDraft], roots: Roots
    ) -> tuple[CompilationTime, ...]:
        """Compile time by compilation, with what is known of the compilation."""
        known: dict[tuple[str, int], CompilationDraft] = {}
        used: collections.Counter[str] = collections.Counter()
        for draft in drafts:
            text = str(draft.compile_id)
            known[text, used[text]] = draft
            used[text] += 1
        return tuple(
            _named(item, known.get((item.compile_id, item.occurrence)), roots)
            for item in self._timed.compilations()
        )

    def _asked(self, compile_id: str) -> CacheLookup:
        """Whose a look-up is, which is a miss unless something else is known."""
        pairing = self._spans.pairing
        named = compile_id or pairing.compiling
        occurrence = pairing.occurrence(named)
        return CacheLookup("", CacheState.MISS, named, occurrence, pairing.in_backward)


def _named(item: CompilationTime, draft: CompilationDraft | None, roots: Roots) -> CompilationTime:
    if draft is None:
        return item
    # The stack ends in the compiled function itself; without a user's line around it, its caller is
    # the recorder or a library, and its own first line is all there is to name.
    stack = draft.caller_stack(roots)
    return dataclasses.replace(
        item,
        name=draft.name,
        file=draft.file,
        first_line=draft.first_line,
        user=user_frame(stack[:-1], roots) or user_frame(stack, roots),
    )


class _MetricsTimes:
    """Makes of metrics the spans that newer logs have: torch 2.4 has none.

    Of the parts only the lengths are known, and nothing of backward graphs: each is put at the
    beginning of what it is part of.
    """

    def __init__(self) -> None:
        self.spans = Spans()

    def add(self, compile_id: str, metrics: CompilationMetrics) -> None:
        """Takes the metrics of a compilation."""
        phases = [
            ("dynamo", metrics.duration_ns),
            ("backend_compile", metrics.backend_ns),
            ("inductor_compile", metrics.inductor_ns),
            ("code_gen", metrics.code_generation_ns),
        ]
        known = [(name, time_ns) for name, time_ns in phases if time_ns]
        begin_ns = metrics.start_time_ns or 0
        for name, _ in known:
            self.spans.add(ChromiumEvent(name, "B", begin_ns, 0, compile_id))
        for name, time_ns in reversed(known):
            self.spans.add(ChromiumEvent(name, "E", begin_ns + time_ns, 0, compile_id))
