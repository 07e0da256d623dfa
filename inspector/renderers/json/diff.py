"""Two runs side by side, as JSON; the schema is docs/schema/diff-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.findings.diff_report import FORMAT_VERSION, DiffReport, Side
from inspector.model.kernel import NodeLine
from inspector.model.kernel_diff import DiffKernel, KernelChange
from inspector.pages.diff import answer
from inspector.renderers.json.kernels import gpu_fields
from inspector.version import __version__


def diff_fields(report: DiffReport) -> dict[str, object]:
    """All fields of a diff."""
    diff = report.diff
    return {
        "format_version": FORMAT_VERSION,
        "kind": "diff",
        "tool_version": __version__,
        "answer": answer(report),
        "is_empty": diff.is_empty,
        "is_worse": diff.is_worse,
        "before": {**_side(report.before), "counts": dataclasses.asdict(diff.before)},
        "after": {**_side(report.after), "counts": dataclasses.asdict(diff.after)},
        "conditions": [
            {
                "name": item.name,
                "before": item.before or None,
                "after": item.after or None,
                "differs": item.differs,
            }
            for item in report.conditions
        ],
        "kernels": [_change(change) for change in diff.kernels],
        "libraries": _pairs(diff.libraries),
        "operators": _pairs(diff.operators),
        "notices": list(report.notices),
    }


def _side(side: Side) -> dict[str, object]:
    meta = side.report.run.meta
    gpu = side.report.gpu
    return {
        "name": meta.name,
        "target": meta.target,
        "started": meta.started or None,
        "partial": meta.partial or None,
        "error": meta.error or None,
        "settings": {name: meta.settings[name] for name in sorted(meta.settings)},
        "versions": [dict(sorted(item.versions.items())) for item in side.report.run.processes],
        "gpu": None if gpu is None else gpu_fields(gpu),
    }


def _pairs(items: object) -> list[dict[str, object]]:
    pairs = dict(items) if isinstance(items, dict) else {}
    return [{"name": name, "before": old, "after": new} for name, (old, new) in pairs.items()]


def _change(change: KernelChange) -> dict[str, object]:
    return {
        "kind": change.kind,
        "matched_by": change.matched_by or None,
        "before": _kernel(change.before),
        "after": _kernel(change.after),
        "part_of": change.part_of or None,
        "differences": list(change.differences),
        "lines_added": change.added,
        "lines_removed": change.removed,
    }


def _kernel(item: DiffKernel | None) -> dict[str, object] | None:
    if item is None:
        return None
    return {
        "name": item.kernel.name,
        "language": item.kernel.language,
        "kind": item.kernel.kind,
        "launches": item.launches,
        "bytes": item.traffic_bytes,
        "registers": item.registers,
        "spill_bytes": item.spill_bytes,
        "predicted_ns": item.predicted_ns,
        "aten": list(item.kernel.aten),
        "nodes": [_node(node) for node in item.kernel.nodes],
        "source": item.kernel.source,
    }


def _node(node: NodeLine) -> dict[str, object]:
    return {
        "node": node.node,
        "file": node.file or None,
        "line": node.line or None,
        "code": node.code or None,
    }
