"""Counts compilations as they are logged, so that what a full log drops is still counted."""

from __future__ import annotations

import collections
import dataclasses
import logging
from collections.abc import Mapping

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import artifact_name
from inspector.shared.stack import StackFrame, is_resumed, user_frame
from inspector.trace.compile_id import CompileId
from inspector.trace.dynamo import CompilationMetrics
from inspector.trace.envelope import Envelope
from inspector.trace.fields import natural
from inspector.trace.graph_break import GraphBreakReason

Site = tuple[str, int, str]
FrameKey = tuple[int, str, int, str]
_COMPILED = "compiled"


@dataclasses.dataclass(slots=True)
class Totals:
    """Counts, in the words of `inspector.run.summary`.

    Attributes:
        sites: User file, line and GB type of each graph break.
        frames: State by torch's number, file, first line and name of the code object.
    """

    counts: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    sites: set[Site] = dataclasses.field(default_factory=set)
    frames: dict[FrameKey, str] = dataclasses.field(default_factory=dict)

    def add(self, other: Totals) -> None:
        """Adds other counts to these."""
        self.counts.update(other.counts)
        self.sites |= other.sites
        for key, state in other.frames.items():
            if self.frames.get(key) != _COMPILED:  # one compilation that succeeds is enough
                self.frames[key] = state


@dataclasses.dataclass(slots=True)
class _Open:
    """A compilation whose end was not logged yet."""

    graphs: int = 0
    failed: int = 0
    breaks: int = 0
    gave_up: bool = False
    sites: set[Site] = dataclasses.field(default_factory=set)


class Tally:
    """Takes the records of one process in order; gives the counts of what has come to its end."""

    def __init__(self) -> None:
        self._open: dict[CompileId, _Open] = {}

    @property
    def is_idle(self) -> bool:
        """Whether no compilation is going on."""
        return not self._open

    def take(self, record: logging.LogRecord) -> Totals | None:
        """Takes a record; with the last one of a compilation, the compilation's counts."""
        metadata: Mapping[str, object] = record.__dict__["metadata"]
        compile_id = _compile_id(metadata)
        if "compilation_metrics" in metadata:
            return self._ended(compile_id, metadata)
        if "dynamo_start" in metadata:
            self._open[compile_id] = _Open()
        current = self._open.get(compile_id)
        if current is None:
            return None
        if "dynamo_output_graph" in metadata:
            current.graphs += 1
        elif artifact_name(metadata) == "dynamo_graph_break_reason":
            _add_break(current, GraphBreakReason.parse(str(record.__dict__["payload"])))
        return None

    def _ended(self, compile_id: CompileId, metadata: Mapping[str, object]) -> Totals:
        fields = metadata["compilation_metrics"]
        metrics = CompilationMetrics.read(
            Envelope("compilation_metrics", "", fields, compile_id, 0, None, 0, 0, None)
        )
        current = self._open.pop(compile_id, _Open())
        graphs = metrics.graphs_of(current.graphs, current.failed)
        counts = collections.Counter(
            compilations=1,
            graphs=graphs,
            operators=(metrics.operator_count or 0) if graphs else 0,
            graph_breaks=current.breaks,
            recompiles=int(bool(compile_id.frame_compile_id) and not metrics.hit_limit),
            recompile_limit_hits=int(metrics.hit_limit),
            compile_time_ns=metrics.duration_ns or 0,
            **_endings(current, metrics, graphs),
        )
        frames: dict[FrameKey, str] = {}
        if metrics.name is not None:  # else torch says the number alone: the limit was hit
            code = (metrics.file or "", metrics.first_line or 0, metrics.name)
            frames[compile_id.frame_id or 0, *code] = _state(current, metrics, graphs)
        return Totals(counts, current.sites, frames)


def _state(current: _Open, metrics: CompilationMetrics, graphs: int) -> str:
    """In the words of `inspector.run.compilation.Frame.state`."""
    if metrics.has_guarded_code and graphs:
        return _COMPILED
    return "failed" if _raised(current, metrics) else "skipped"


def _raised(current: _Open, metrics: CompilationMetrics) -> bool:
    """Whether an exception ended it that is neither a graph break nor the recompile limit."""
    return metrics.fail_type is not None and not current.gave_up and not metrics.hit_limit


def _endings(current: _Open, metrics: CompilationMetrics, graphs: int) -> dict[str, int]:
    """Endings that are findings, for a gate that must know whether any were dropped."""
    raised = _raised(current, metrics)
    # What fullgraph=True makes an error is a graph break (run/folding/compilation.py); a failure of
    # that name without a break counts as one all the same.
    is_break = metrics.fail_type == "Unsupported"
    is_empty = not graphs and not current.breaks and metrics.fail_type is None
    own = metrics.name is not None and not is_resumed(metrics.name)
    return {
        "failures": int(raised and not is_break),
        "graph_breaks_raised": int(raised and is_break),
        "skips": int(is_empty and own),
    }


def _add_break(current: _Open, reason: GraphBreakReason) -> None:
    if not reason.stack and current.graphs:
        current.failed += 1
    current.breaks += 1
    current.gave_up |= reason.outcome == "frame-skipped"
    roots = recorded_roots()
    stack = [StackFrame(frame.file, frame.line, frame.name) for frame in reason.stack]
    user = user_frame(stack, roots)
    place = (user.file, user.line) if user else (reason.file or "", reason.line or 0)
    cause = reason.causes[0] if reason.causes else None
    kind = (cause.gb_type or cause.title) if cause else ""
    current.sites.add((*place, kind))


def _compile_id(metadata: Mapping[str, object]) -> CompileId:
    names = ("frame_id", "frame_compile_id", "compiled_autograd_id")
    return CompileId(*(natural(metadata.get(name)) for name in names))
