"""Renders a report for programs; `inspect schema` describes the fields.

Everything that the other renderers show is here. Columns are 0-based, durations are in ns.
"""

from __future__ import annotations

from typing import Any, TextIO

import orjson

from inspector.any_report import AnyReport
from inspector.features.bench.collection_json import VIEWS as BENCH_COLLECTION
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.json import VIEWS as BENCH
from inspector.features.bench.report import BenchReport
from inspector.features.bench.warmup_json import VIEWS as WARMUP
from inspector.features.bench.warmup_report import WarmupReport
from inspector.features.compile_time.json import VIEWS as COLD_START
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.cuda_graphs.json import VIEWS as CUDA_GRAPHS
from inspector.features.cuda_graphs.report import CudaGraphsReport
from inspector.features.diff.json import VIEWS as DIFF
from inspector.features.diff.report import DiffReport
from inspector.features.graph.json import VIEWS as GRAPH
from inspector.features.graph.report import GraphReport
from inspector.features.guards.json import VIEWS as GUARDS
from inspector.features.guards.report import GuardsReport
from inspector.features.kernels.json import VIEWS as KERNELS
from inspector.features.kernels.report import KernelsReport
from inspector.features.overview.json import VIEWS as REPORT
from inspector.features.profile.json import VIEWS as PROFILE
from inspector.features.profile.kernel_bench.json import VIEWS as KERNEL_BENCH
from inspector.features.profile.kernel_bench.report import KernelBenchReport
from inspector.features.profile.report import ProfileReport
from inspector.features.ranks.json import VIEWS as RANKS
from inspector.features.ranks.report import RanksReport
from inspector.report.json.cleaned import cleaned
from inspector.report.json.encode import Scope, Views, encode
from inspector.report.report import Report

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
    RanksReport: RANKS,
}


def render(report: AnyReport, stream: TextIO) -> None:
    """Writes a report as indented JSON, the same for the same report."""
    text = orjson.dumps(cleaned(fields(report)), option=orjson.OPT_INDENT_2).decode()
    stream.write(text + "\n")


def fields(report: AnyReport) -> Any:  # noqa: ANN401 - as json.loads
    """All fields of a report."""
    views = next(views for kind, views in VIEWS.items() if isinstance(report, kind))
    return encode(Scope(report), views)
