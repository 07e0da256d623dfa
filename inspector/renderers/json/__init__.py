"""Renders a report for programs; `inspect schema` describes the fields.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from __future__ import annotations

from typing import Any, TextIO

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
from inspector.renderers.json.bench import VIEWS as BENCH
from inspector.renderers.json.bench_collection import VIEWS as BENCH_COLLECTION
from inspector.renderers.json.cleaned import cleaned
from inspector.renderers.json.cold_start import VIEWS as COLD_START
from inspector.renderers.json.cuda_graphs import VIEWS as CUDA_GRAPHS
from inspector.renderers.json.diff import VIEWS as DIFF
from inspector.renderers.json.encode import Scope, Views, encode
from inspector.renderers.json.graph import VIEWS as GRAPH
from inspector.renderers.json.guards import VIEWS as GUARDS
from inspector.renderers.json.kernel_bench import VIEWS as KERNEL_BENCH
from inspector.renderers.json.kernels import VIEWS as KERNELS
from inspector.renderers.json.profile import VIEWS as PROFILE
from inspector.renderers.json.report import VIEWS as REPORT
from inspector.renderers.json.warmup import VIEWS as WARMUP

__all__ = ["VIEWS", "cleaned", "fields", "render"]

VIEWS: dict[type, Views] = {
    GuardsReport: GUARDS,
    CudaGraphsReport: CUDA_GRAPHS,
    Report: REPORT,
    ColdStartReport: COLD_START,
    GraphReport: GRAPH,
    DiffReport: DIFF,
    KernelsReport: KERNELS,
    BenchReport: BENCH,
    CollectionReport: BENCH_COLLECTION,
    KernelBenchReport: KERNEL_BENCH,
    WarmupReport: WARMUP,
    ProfileReport: PROFILE,
}


def render(report: AnyReport, stream: TextIO) -> None:
    """Writes a report as indented JSON, the same for the same report."""
    text = orjson.dumps(cleaned(fields(report)), option=orjson.OPT_INDENT_2).decode()
    stream.write(text + "\n")


def fields(report: AnyReport) -> Any:  # noqa: ANN401 - as json.loads
    """All fields of a report."""
    views = next(views for kind, views in VIEWS.items() if isinstance(report, kind))
    return encode(Scope(report), views)
