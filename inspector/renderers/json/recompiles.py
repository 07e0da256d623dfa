"""Recompilations as JSON."""

from __future__ import annotations

from inspector.findings.recompile_case import is_zero_one
from inspector.findings.recompile_fix_shared import dynamic_sources
from inspector.model.recompile import Bound, Change, Limit, Recompile, SymbolUse, Value
from inspector.model.roots import Roots
from inspector.model.run import Run
from inspector.model.stack import StackFrame


def recompile_fields(run: Run, process: int, item: Recompile) -> dict[str, object]:
    """One recompilation; ``process`` is its process's index in ``environment``."""
    return {
        "process": process,
        "compile_id": str(item.compile_id),
        "entry": None if item.entry is None else str(item.entry),
        "class": item.kind.value,
        "origin": item.origin.value,
        "source": item.source or None,
        "name": item.name or None,
        "index": item.index,
        "guard": item.guard or None,
        "comment": item.comment or None,
        "hint": item.hint or None,
        "other_guards": list(item.others),
        "before": _value(item.before),
        "now": _value(item.now),
        "answer": item.answer.value,
        "new_keys": list(item.new_keys),
        "missing_keys": list(item.missing_keys),
        "is_zero_one": is_zero_one(item),
        "bounds": [_bound(bound) for bound in item.bounds],
        "changes": [_change(change) for change in item.changes],
        "hit_limit": item.hit_limit,
        "limit": _limit(item.limit),
        "dynamic_sources": list(item.whitelist),
        "symbols": [_symbol(run.roots, use) for use in item.symbols],
        "guard_stack": _stack(run.roots, item.guard_stack),
        "caused_by": _frame(run.roots, item.caused_by) if item.caused_by else None,
        "call": item.call,
        "duration_ns": item.time_ns,
        "compile_time_by_stage_ns": dict(item.stages),
        "failure": item.failure or None,
        "stack": _stack(run.roots, item.stack),
    }


def cause_fields(items: tuple[Recompile, ...]) -> dict[str, object] | None:
    """What the recompilations of a finding have in common; null for other findings."""
    if not items:
        return None
    first = items[0]
    return {
        "class": first.kind.value,
        "origin": first.origin.value,
        "source": first.source or None,
        "guard": first.guard or None,
        "answers": [item.answer.value for item in items],
        "compile_ids": [str(item.compile_id) for item in items],
        "compile_time_ns": sum(item.time_ns or 0 for item in items),
        "hit_limit": any(item.hit_limit for item in items),
        "dynamic_sources": list(dynamic_sources(items)),
    }


def _value(value: Value | None) -> dict[str, object] | None:
    return None if value is None else {"text": value.text, "known": value.known.value}


def _change(change: Change) -> dict[str, object]:
    return {
        "class": change.kind.value,
        "origin": change.origin.value,
        "source": change.source,
        "name": change.name,
        "index": change.index,
        "before": change.before or None,
        "now": change.now or None,
        "is_dynamic": change.is_dynamic,
        "specialized": change.specialized,
    }


def _bound(bound: Bound) -> dict[str, object]:
    return {"expression": bound.expression, "text": bound.text, "parts": bound.parts}


def _limit(limit: Limit | None) -> dict[str, object] | None:
    if limit is None:
        return None
    return {"name": limit.name, "number": limit.number, "raised": limit.raised}


def _symbol(roots: Roots, use: SymbolUse) -> dict[str, object]:
    return {
        "symbol": use.symbol,
        "source": use.source,
        "value": use.value,
        "specialized": use.specialized,
        "made": _stack(roots, use.made),
        "guarded": _stack(roots, use.guarded),
    }


def _stack(roots: Roots, stack: tuple[StackFrame, ...]) -> list[object]:
    return [_frame(roots, frame) for frame in stack]


def _frame(roots: Roots, frame: StackFrame) -> dict[str, object]:
    return {
        "file": roots.shown(frame.file),
        "line": frame.line or None,
        "name": frame.name,
        "code": frame.code,
    }
