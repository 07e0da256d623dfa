"""Findings and counts as JSON."""

from __future__ import annotations

import dataclasses

from inspector.findings.finding import Example, Finding, Place
from inspector.model.cost import Cost, CostKind
from inspector.model.summary import Summary
from inspector.renderers.json.recompiles import cause_fields
from inspector.renderers.json.verification import tried_fields


def finding_fields(finding: Finding) -> dict[str, object]:
    """A finding; its place is flat in it, with null for what is not known."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        **_place(finding.place),
        "records": finding.records,
        "why": finding.why,
        "output": finding.output or None,
        "fix": finding.fix,
        "alternatives": list(finding.alternatives),
        "example": _example(finding.example),
        "hints": list(finding.hints),
        "notes": list(finding.notes),
        "fingerprint": finding.fingerprint,
        "gb_id": finding.gb_id,
        "gb_type": finding.gb_type,
        "url": finding.url or None,
        "outcome": finding.outcome or None,
        "evidence": finding.evidence,
        "later": finding.later,
        **_cost(finding.cost),
        "is_new": finding.is_new,
        "fails_gate": finding.fails_gate,
        "verified": [tried_fields(tried) for tried in finding.verified],
        "recompile": cause_fields(finding.recompiles),
        "processes": list(finding.processes),
        "excerpt": [{"line": line.number, "text": line.text} for line in finding.place.excerpt],
        "stack": _stack(finding.place),
    }


def _cost(cost: Cost | None) -> dict[str, object]:
    """The figures that findings are ranked by, flat, and what they consist of."""
    if cost is None:
        flat = dict.fromkeys(("cost_ns", "crossing_bytes", "executions_per_call"))
        return {**flat, "cost_kind": CostKind.UNKNOWN.value, "cost": None}
    return {
        "cost_ns": cost.cost_ns,
        "cost_kind": cost.kind.value,
        "crossing_bytes": cost.crossing_bytes,
        "executions_per_call": cost.executions_per_call,
        "cost": {
            "outside_ns": cost.outside_ns,
            "parts_ns": {share.part.value: share.time_ns for share in cost.shares},
            "shared_ns": cost.shared_ns,
            "shared_with": list(cost.shared_with),
            "fusible_bytes": cost.fusible_bytes,
            "crossing_ns": cost.crossing_ns,
            "calls": cost.calls,
            "spread": round(cost.spread, 4),
            "scale": round(cost.scale, 4),
            "call_ns": cost.call_ns,
            "is_whole_frame": cost.is_whole_frame,
            "backend": cost.backend or None,
            "note": cost.note or None,
        },
    }


def _example(example: Example | None) -> dict[str, object] | None:
    if example is None:
        return None
    return {**dataclasses.asdict(example), "tested_on": list(example.tested_on)}


def _place(place: Place) -> dict[str, object]:
    return {
        "file": place.file or None,
        "line": place.line or None,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "function": place.function or None,
    }


def _stack(place: Place) -> list[object]:
    return [
        {
            "file": frame.file,
            "line": frame.line or None,
            "name": frame.name,
            "code": frame.code,
            "owner": frame.owner,
        }
        for frame in place.stack
    ]


def summary_fields(summary: Summary) -> dict[str, object]:
    """The counts of a run."""
    later = summary.later
    return {
        "frames": summary.frames,
        "frames_compiled": summary.frames_compiled,
        "frames_skipped": summary.frames_skipped,
        "frames_failed": summary.frames_failed,
        "frames_unfinished": summary.frames_unfinished,
        "graphs": summary.graphs,
        "operators": summary.operators,
        "operators_per_graph": list(summary.operators_per_graph),
        "graph_breaks": summary.graph_breaks,
        "distinct_graph_breaks": summary.distinct_graph_breaks,
        "graph_breaks_raised": summary.graph_breaks_raised,
        "recompiles": summary.recompiles,
        "recompile_limit_hits": summary.recompile_limit_hits,
        "compile_time_ns": summary.compile_time_ns,
        "compile_time_by_stage_ns": {
            stage.stage: stage.time_ns for stage in summary.compile_time_by_stage
        },
        "later": {
            "graphs": later.graphs,
            "graph_breaks": later.graph_breaks,
            "distinct_graph_breaks": later.distinct_graph_breaks,
            "recompiles": later.recompiles,
        },
    }
