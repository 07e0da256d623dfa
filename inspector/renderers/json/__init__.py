"""Renders a report for programs; the schemas are in docs/schema.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from __future__ import annotations

from typing import TextIO

import orjson

from inspector.findings.any_report import AnyReport
from inspector.findings.bench_report import BenchReport
from inspector.findings.collection_report import CollectionReport
from inspector.findings.cuda_graphs_report import CudaGraphsReport
from inspector.findings.diff_report import DiffReport
from inspector.findings.graph_report import GraphReport
from inspector.findings.guards_report import GuardsReport
from inspector.findings.kernel_bench_report import KernelBenchReport
from inspector.findings.kernels_report import KernelsReport
from inspector.findings.profile_report import ProfileReport
from inspector.findings.report import Report
from inspector.findings.warmup_report import WarmupReport
from inspector.renderers.json.any_bench import any_bench_fields
from inspector.renderers.json.cleaned import cleaned
from inspector.renderers.json.cuda_graphs import cuda_graphs_fields
from inspector.renderers.json.diff import diff_fields
from inspector.renderers.json.graph import graph_fields
from inspector.renderers.json.guards import guards_fields
from inspector.renderers.json.kernel_bench import kernel_bench_fields
from inspector.renderers.json.kernels import kernels_fields
from inspector.renderers.json.profile import profile_fields
from inspector.renderers.json.report import report_fields

__all__ = ["render"]


def render(report: AnyReport, stream: TextIO) -> None:
    """Writes a report as indented JSON, the same for the same report."""
    match report:
        case GuardsReport():
            fields = guards_fields(report)
        case CudaGraphsReport():
            fields = cuda_graphs_fields(report)
        case GraphReport():
            fields = graph_fields(report)
        case BenchReport() | CollectionReport() | WarmupReport():
            fields = any_bench_fields(report)
        case KernelBenchReport():
            fields = kernel_bench_fields(report)
        case ProfileReport():
            fields = profile_fields(report)
        case DiffReport():
            fields = diff_fields(report)
        case KernelsReport():
            fields = kernels_fields(report)
        case Report():
            fields = report_fields(report)
    text = orjson.dumps(cleaned(fields), option=orjson.OPT_INDENT_2).decode()
    stream.write(text + "\n")
