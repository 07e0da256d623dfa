"""A report on CUDA graphs as JSON; the schema is docs/schema/cuda-graphs-1.schema.json."""

from __future__ import annotations

from inspector.findings.cuda_graphs_report import FORMAT_VERSION, CudaGraphRow, CudaGraphsReport
from inspector.model.run import Run
from inspector.records.cuda_graphs import CudaGraphCapture, LoggedInput
from inspector.renderers.json.findings import finding_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def cuda_graphs_fields(report: CudaGraphsReport) -> dict[str, object]:
    """All fields of a report on CUDA graphs."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "cuda-graphs",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "calls": report.calls,
        "replays": report.replays,
        "captures": report.recordings,
        "pool_bytes": report.pool_bytes,
        "functions": [_row(row) for row in report.rows],
        "recorded": [
            _capture(index, capture)
            for index, process in enumerate(report.run.processes)
            for function in process.cuda_graphs.functions
            for capture in function.captures
        ],
        "warnings": list(_warnings(report.run)),
        "partitions": list(_partitions(report.run)),
        "findings": [finding_fields(finding) for finding in report.findings],
        "notices": list(report.notices),
        "next_steps": list(report.next_steps),
    }


def _row(row: CudaGraphRow) -> dict[str, object]:
    return {
        "process": row.process,
        "compile_id": row.compile_id or None,
        "name": row.name or None,
        "mode": row.mode or None,
        "parts": row.parts,
        "sizes": [list(item) for item in row.sizes],
        "calls": row.calls,
        "replays": row.replays,
        "captures": row.recordings,
        "warmups": row.warmups,
        "without_graph": row.eager,
        "copied_bytes": row.copied_bytes,
        "capture_ns": row.capture_ns,
    }


def _capture(process: int, capture: CudaGraphCapture) -> dict[str, object]:
    return {
        "process": process,
        "compile_id": capture.key.compile_id or None,
        "mode": capture.key.mode.lower(),
        "function": capture.key.function,
        "device": capture.key.device,
        "sizes": list(capture.key.integers),
        "graph": capture.graph,
        "parent": capture.parent,
        "captured_before": capture.recording,
        "refused": [
            {
                "graph": refusal.graph,
                "status": refusal.status,
                "changed": refusal.changed,
                "inputs": [_input(item) for item in refusal.inputs],
            }
            for refusal in capture.refused
        ],
        "duration_ns": capture.duration_ns,
        "pool_bytes": capture.pool_bytes,
        "inputs": capture.inputs,
        "managed_inputs": capture.managed,
        "copied_inputs": capture.copied,
        "copied_bytes": capture.copied_bytes,
        "copies": [_input(item) for item in capture.copies],
    }


def _input(item: LoggedInput) -> dict[str, object]:
    return {
        "name": item.name,
        "shape": list(item.shape),
        "dtype": item.dtype,
        "size_bytes": item.size_bytes,
    }


def _warnings(run: Run) -> list[dict[str, object]]:
    return [
        {
            "process": index,
            "kind": warning.kind.value,
            "compile_id": warning.compile_id or None,
            "reason": warning.reason,
            "file": run.roots.shown(warning.stack[-1].file) if warning.stack else None,
            "line": warning.stack[-1].line if warning.stack else None,
            "evidence": warning.evidence,
        }
        for index, process in enumerate(run.processes)
        for warning in process.cuda_graphs.warnings
    ]


def _partitions(run: Run) -> list[dict[str, object]]:
    return [
        {
            "process": index,
            "compile_id": item.compile_id or None,
            "partitions": item.partitions,
            "captured": item.captured,
            "left_out": [{"name": left.name, "reason": left.reason} for left in item.left_out],
        }
        for index, process in enumerate(run.processes)
        for item in process.cuda_graphs.partitions
    ]
