"""Renders a report for programs; the schemas are in docs/schema.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

import orjson

from inspector.findings.any_report import AnyReport
from inspector.findings.bench_report import BenchReport
from inspector.findings.cold_start import ColdStartReport
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
from inspector.renderers.json.cold_start import cold_start_fields
from inspector.renderers.json.cuda_graphs import cuda_graphs_fields
from inspector.renderers.json.diff import diff_fields
from inspector.renderers.json.graph import graph_fields
from inspector.renderers.json.guards import guards_fields
from inspector.renderers.json.kernel_bench import kernel_bench_fields
from inspector.renderers.json.kernels import kernels_fields
from inspector.renderers.json.profile import profile_fields
from inspector.renderers.json.report import report_fields

__all__ = ["render"]

_FIELDS: dict[type, Callable[..., dict[str, object]]] = {
    GuardsReport: guards_fields,
    ColdStartReport: cold_start_fields,
    CudaGraphsReport: cuda_graphs_fields,
    GraphReport: graph_fields,
    BenchReport: any_bench_fields,
    CollectionReport: any_bench_fields,
    WarmupReport: any_bench_fields,
    KernelBenchReport: kernel_bench_fields,
    ProfileReport: profile_fields,
    DiffReport: diff_fields,
    KernelsReport: kernels_fields,
    Report: report_fields,
}


def render(report: AnyReport, stream: TextIO) -> None:
    """Writes a report as indented JSON, the same for the same report."""
    fields = next(make for kind, make in _FIELDS.items() if isinstance(report, kind))
    text = orjson.dumps(cleaned(fields(report)), option=orjson.OPT_INDENT_2).decode()
    stream.write(text + "\n")
