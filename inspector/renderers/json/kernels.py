"""A report on kernels as JSON; the schema is docs/schema/kernels-1.schema.json."""

from __future__ import annotations

from inspector.findings.kernels_report import FORMAT_VERSION, KernelRow, KernelsReport
from inspector.model.gpus import Gpu
from inspector.model.kernel import Call, GraphCode, NodeLine
from inspector.records.gpu_target import GpuTarget
from inspector.renderers.json.cpp_kernel import cpp_fields
from inspector.renderers.json.findings import finding_fields
from inspector.renderers.json.kernel_builds import build_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def kernels_fields(report: KernelsReport) -> dict[str, object]:
    """All fields of a report on kernels."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": "kernels",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "versions": [dict(sorted(process.versions.items())) for process in report.run.processes],
        "gpu": None if report.gpu is None else gpu_fields(report.gpu),
        "graphs": [_graph(graph) for graph in report.graphs],
        "kernels": [_kernel(row) for row in report.rows],
        "libraries": dict(report.libraries),
        "targets": [{"compile_id": name, **_target(said)} for name, said in report.targets],
        "findings": [finding_fields(finding) for finding in report.findings],
        "notices": list(report.notices),
    }


def gpu_fields(gpu: Gpu) -> dict[str, object]:
    """A GPU's figures."""
    return {
        "key": gpu.key,
        "name": gpu.name,
        "compute_capability": list(gpu.capability),
        "architecture": gpu.architecture.name,
        "multiprocessors": gpu.multiprocessors,
        "memory_bytes": gpu.memory_bytes,
        "bandwidth_bytes_per_s": gpu.bandwidth,
        "l2_bytes": gpu.l2_bytes,
        "clock_hz": gpu.clock_hz,
        "peaks_per_s": dict(gpu.peaks),
        "sources": list(gpu.sources),
        "assumed": gpu.assumed,
    }


def _graph(graph: GraphCode) -> dict[str, object]:
    return {
        "compile_id": graph.compile_id,
        "direction": graph.direction,
        "name": graph.name or None,
        "file": graph.file or None,
        "alternative": graph.alternative or None,
        "about": list(graph.about),
        "kernels": [kernel.name for kernel in graph.kernels],
        "calls": [_call(call) for call in graph.calls],
    }


def _call(call: Call) -> dict[str, object]:
    return {
        "kind": call.kind,
        "name": call.name,
        "line": call.line,
        "arguments": list(call.arguments),
        "aten": list(call.aten),
        "nodes": [_node(node) for node in call.nodes],
    }


def _kernel(row: KernelRow) -> dict[str, object]:
    kernel = row.kernel
    return {
        "name": kernel.name,
        "language": kernel.language,
        "kind": kernel.kind,
        "graphs": list(row.graphs),
        "launches": row.launches,
        "is_candidate": row.is_candidate,
        "is_user_written": kernel.is_user_written,
        "size_hints": dict(kernel.size_hints),
        "signature": dict(kernel.signature),
        "inductor_meta": dict(kernel.inductor_meta),
        "options": dict(kernel.options),
        "aten": list(kernel.aten),
        "nodes": [_node(node) for node in kernel.nodes],
        "definition": _node(kernel.definition) if kernel.definition.file else None,
        "build": None if row.facts is None else build_fields(row.facts),
        "bytes": kernel.traffic_bytes,
        "flops": kernel.flops,
        "cpp": cpp_fields(kernel.cpp),
        "source": kernel.source,
    }


def _node(node: NodeLine) -> dict[str, object]:
    return {
        "node": node.node,
        "file": node.file or None,
        "line": node.line or None,
        "code": node.code or None,
        "module": node.module or None,
        "makes": list(node.makes),
    }


def _target(said: GpuTarget) -> dict[str, object]:
    return {
        "measured": [
            {
                "what": item.what,
                "detail": item.detail,
                "taken": item.taken,
                "candidates": list(item.candidates),
            }
            for item in said.measured
        ],
        "attention": list(said.attention),
        "missing": list(said.missing),
        "error": said.error or None,
        "where": list(said.where),
    }
