"""A report on one kernel as JSON."""

from inspector.features.profile.kernel_bench.report import (
    FORMAT_VERSION,
    InPlace,
    KernelBenchReport,
    Measured,
    Rate,
)
from inspector.records.ceilings import Ceilings
from inspector.records.kernel_bench import BenchedArgument, BenchedConfig, LaunchGroup
from inspector.report.json.common import COMMON, versions
from inspector.report.json.encode import View, Views, tool_version

VIEWS: Views = {
    **COMMON,
    KernelBenchReport: View(
        """format_version kind tool_version recording=run.meta:recording versions
        kernel=bench.name kernel_kind=bench.kind input=bench.input launch=bench.launch
        launches=bench.launches
        missing=bench.missing? arguments=bench.arguments
        cache_bytes=bench.cache_bytes bytes=bytes_ bytes_are_inductors
        flops in_place nearer_to_in_place=regime rates config=bench.config cold warm ceilings
        notices next_steps""",
        format_version=FORMAT_VERSION,
        kind="kernel-bench",
        tool_version=tool_version,
        versions=versions,
    ),
    LaunchGroup: View("count time_ns taken=is_taken"),
    BenchedArgument: View("name dtype? size stride value? written=is_written"),
    InPlace: View(
        """median_ns=times.median_ns p5_ns=times.low_ns p95_ns=times.high_ns count=times.number
        launches wall_ns lines=work.lines:line"""
    ),
    Measured: View("median_ns p5_ns=low_ns p95_ns=high_ns count=number"),
    Rate: View("regime what per_s ceiling? ceiling_per_s share_of_ceiling=share"),
    BenchedConfig: View("values num_warps num_stages registers spills shared_bytes"),
    Ceilings: View("device measured_at_s cached=is_cached values"),
}
