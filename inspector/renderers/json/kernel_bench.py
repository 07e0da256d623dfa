"""A report on one kernel as JSON; the schema is docs/schema/kernel-bench-1.schema.json."""

from __future__ import annotations

from inspector.findings.kernel_bench_report import FORMAT_VERSION, KernelBenchReport, Rate
from inspector.profiles.alone import InPlace, Measured
from inspector.records.kernel_bench import BenchedArgument, BenchedConfig
from inspector.renderers.json.ceilings import ceilings_fields
from inspector.renderers.json.lines import line_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def kernel_bench_fields(report: KernelBenchReport) -> dict[str, object]:
    """All fields of a report on one kernel."""
    bench, there, ceilings = report.bench, report.in_place, report.ceilings
    return {
        "format_version": FORMAT_VERSION,
        "kind": "kernel-bench",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "versions": [dict(sorted(process.versions.items())) for process in report.run.processes],
        "kernel": bench.name,
        "kernel_kind": bench.kind,
        "input": bench.input,
        "launch": bench.launch,
        "launches": [
            {"count": item.count, "time_ns": item.time_ns, "taken": item.is_taken}
            for item in bench.launches
        ],
        "missing": bench.missing or None,
        "arguments": [_argument(argument) for argument in bench.arguments],
        "argument_bytes": bench.argument_bytes,
        "cache_bytes": bench.cache_bytes,
        "restored": list(bench.restored),
        "bytes": report.bytes_,
        "bytes_are_inductors": report.bytes_are_inductors,
        "flops": report.flops,
        "in_place": None if there is None else _in_place(there),
        "nearer_to_in_place": report.regime,
        "rates": [_rate(regime, rate) for regime, rate in report.rates],
        "config": None if bench.config is None else _config(bench.config),
        "cold": None if report.cold is None else _measured(report.cold),
        "warm": None if report.warm is None else _measured(report.warm),
        "ceilings": None if ceilings is None else ceilings_fields(ceilings),
        "notices": list(report.notices),
        "next_steps": list(report.next_steps),
    }


def _argument(argument: BenchedArgument) -> dict[str, object]:
    return {
        "name": argument.name,
        "dtype": argument.dtype or None,
        "size": list(argument.size),
        "stride": list(argument.stride),
        "value": argument.value or None,
        "written": argument.is_written,
    }


def _in_place(there: InPlace) -> dict[str, object]:
    return {
        **_measured(there.times),
        "launches": there.launches,
        "wall_ns": there.wall_ns,
        "lines": line_fields(there.work.lines),
    }


def _rate(regime: str, rate: Rate) -> dict[str, object]:
    return {
        "regime": regime,
        "what": rate.what,
        "per_s": rate.per_s,
        "ceiling": rate.ceiling or None,
        "ceiling_per_s": rate.ceiling_per_s,
        "share_of_ceiling": rate.share,
    }


def _config(config: BenchedConfig) -> dict[str, object]:
    return {
        "values": dict(config.values),
        "num_warps": config.num_warps,
        "num_stages": config.num_stages,
        "registers": config.registers,
        "spills": config.spills,
        "shared_bytes": config.shared_bytes,
    }


def _measured(times: Measured) -> dict[str, object]:
    return {
        "median_ns": times.median_ns,
        "p5_ns": times.low_ns,
        "p95_ns": times.high_ns,
        "count": times.number,
    }
