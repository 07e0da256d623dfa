"""A report on one kernel as JSON; the schema is docs/schema/kernel-bench-1.schema.json."""

from __future__ import annotations

import dataclasses
import math

from inspector.events.kernel_bench import BenchedArgument, BenchedConfig, ResultDifference
from inspector.findings.kernel_bench_report import FORMAT_VERSION, KernelBenchReport, Rate
from inspector.findings.kernel_bench_row import BenchRow
from inspector.findings.kernel_bench_wording import tables_entry
from inspector.profiles.alone import InPlace, Measured
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
        "heuristic": bench.heuristic or None,
        "input": bench.input,
        "launch": bench.launch,
        "launches": [
            {"count": count, "time_ns": time_ns, "taken": taken}
            for count, time_ns, taken in bench.launches
        ],
        "missing": bench.missing or None,
        "arguments": [_argument(argument) for argument in bench.arguments],
        "argument_bytes": bench.argument_bytes,
        "cache_bytes": bench.cache_bytes,
        "flush_bytes": bench.flush_bytes,
        "restored": list(bench.restored),
        "results": list(bench.results),
        "repeats": _difference(bench.repeats),
        "bytes": report.bytes_,
        "bytes_are_inductors": report.bytes_are_inductors,
        "flops": report.flops,
        "in_place": None if there is None else _in_place(there),
        "nearer_to_in_place": report.regime,
        "rates": [_rate(regime, rate) for regime, rate in report.rates],
        "configs": [_row(row) for row in report.rows],
        "searched": bench.has_configs,
        "search_cut_short": bench.is_cut,
        "sizes_kept": bench.keeps_sizes,
        "lookup_key": bench.lookup or None,
        "to_run_it_so": tables_entry(report) or None,
        "seconds": bench.seconds,
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


def _row(row: BenchRow) -> dict[str, object]:
    config, gain = row.config, row.gain
    return {
        **_config(config),
        "second_run": row.is_timed_again,
        "cold": None if row.cold is None else _measured(row.cold),
        "warm": None if row.warm is None else _measured(row.warm),
        "times_as_fast": None if gain is None else gain.ratio,
        "times_as_fast_interval": None if gain is None else list(gain.interval),
        "gain_of_launch_ns": None if gain is None else gain.launch_ns,
        "gain_of_call_ns": None if gain is None else gain.call_ns,
        "gain_share_of_call": None if gain is None else gain.share,
        "chosen": row.is_chosen,
        "autotuned": row.is_autotuned,
        "best": row.is_best,
        "difference": _difference(config.difference),
        "error": config.error or None,
    }


def _config(config: BenchedConfig) -> dict[str, object]:
    return {
        "from": config.source,
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


def _difference(found: ResultDifference | None) -> dict[str, object] | None:
    if found is None:
        return None
    fields = dataclasses.asdict(found)
    # Null where one is no number, which JSON has no word for.
    for name in ("largest", "relative"):
        fields[name] = fields[name] if math.isfinite(fields[name]) else None
    return fields
