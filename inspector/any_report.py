"""Everything that a renderer can be given."""

from __future__ import annotations

from typing import TypeAlias

from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.report import BenchReport
from inspector.features.bench.warmup_report import WarmupReport
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.cuda_graphs.report import CudaGraphsReport
from inspector.features.diff.report import DiffReport
from inspector.features.graph.report import GraphReport
from inspector.features.guards.report import GuardsReport
from inspector.features.kernels.report import KernelsReport
from inspector.features.profile.kernel_bench.report import KernelBenchReport
from inspector.features.profile.report import ProfileReport
from inspector.features.ranks.report import RanksReport
from inspector.report.report import Report

AnyReport: TypeAlias = (
    Report
    | GuardsReport
    | ColdStartReport
    | CudaGraphsReport
    | KernelsReport
    | GraphReport
    | KernelBenchReport
    | BenchReport
    | CollectionReport
    | WarmupReport
    | ProfileReport
    | DiffReport
    | RanksReport
)
"""A report of any command."""
