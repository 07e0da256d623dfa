"""Frames, their compilations and every record of a graph break as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.compilation import Compilation, Failure, Frame
from inspector.model.graph_break import GraphBreak
from inspector.model.run import Run
from inspector.model.stack import StackFrame, user_frame
from inspector.records.graph_breaks import SkippedFrame


def frame_fields(run: Run, process: int, frame: Frame) -> dict[str, object]:
    """A frame with its compilations; ``process`` is its process's index in ``environment``."""
    return {
        "process": process,
        "frame_id": frame.frame_id,
        "name": frame.name,
        "file": run.roots.shown(frame.file) or None,
        "first_line": frame.first_line or None,
        "state": frame.state.value,
        "compilations": [_compilation(run, item) for item in frame.compilations],
    }


def _compilation(run: Run, item: Compilation) -> dict[str, object]:
    return {
        "compile_id": str(item.compile_id),
        "call": item.call,
        "graphs": item.graphs,
        "operators": item.operators,
        "guards": item.guards,
        "has_guarded_code": item.has_guarded_code,
        "graph_breaks": len(item.graph_breaks),
        "failure": None if item.failure is None else _failure(run, item.failure),
        "restart_reasons": list(item.restart_reasons),
        "recompile_reasons": list(item.recompile_reasons),
        "hit_limit": item.hit_limit,
        "finished": item.finished,
        "start_time_ns": item.start_time_ns,
        "duration_ns": item.duration_ns,
        "stack": _stack(run, item.stack),
    }


def _failure(run: Run, failure: Failure) -> dict[str, object]:
    place = user_frame(failure.stack, run.roots)
    return {
        "type": failure.type,
        "reason": failure.reason,
        "file": run.roots.shown(place.file) or None if place else None,
        "line": place.line or None if place else None,
        "stack": _stack(run, failure.stack),
    }


def break_fields(run: Run, process: int, frame: Frame, record: GraphBreak) -> dict[str, object]:
    """One record of a graph break."""
    user = record.user
    return {
        "process": process,
        "compile_id": str(record.compile_id) if record.compile_id else None,
        "attempt": record.attempt,
        "frame_id": frame.frame_id,
        "frame": record.frame_name,
        "call": record.call,
        "gb_id": record.cause.gb_id,
        "gb_type": record.cause.gb_type,
        "title": record.cause.title,
        "explanation": record.cause.explanation,
        "context": record.cause.context,
        "file": run.roots.shown(user.file) or None if user else None,
        "line": user.line or None if user else None,
        "outcome": record.outcome.value,
        "has_graph": record.has_graph,
        "evidence": record.evidence.value,
        "wrappers": [
            {"gb_id": cause.gb_id, "gb_type": cause.gb_type, "title": cause.title}
            for cause in record.wrappers
        ],
    }


def skipped_fields(run: Run, process: int, skipped: SkippedFrame) -> dict[str, object]:
    """A frame that Dynamo left alone without an event of its own."""
    return {
        "process": process,
        "name": skipped.name,
        "file": run.roots.shown(skipped.file) or None,
        "line": skipped.line or None,
        "reason": skipped.reason,
        "cause": skipped.cause or None,
        "is_entry": skipped.is_entry,
        "stack": _stack(run, skipped.stack),
    }


def _stack(run: Run, stack: Sequence[StackFrame]) -> list[object]:
    return [
        {"file": run.roots.shown(frame.file), "line": frame.line or None, "name": frame.name}
        for frame in stack
    ]
