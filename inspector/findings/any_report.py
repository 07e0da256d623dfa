"""Everything that a renderer can be given."""

from __future__ import annotations

from typing import TypeAlias

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
)
"""A report of any command."""
