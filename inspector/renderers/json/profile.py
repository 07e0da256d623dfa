"""A report on profiles as JSON; the schema is docs/schema/profile-1.schema.json."""

from __future__ import annotations

import dataclasses

from inspector.findings.profile_report import FORMAT_VERSION, ProfileReport
from inspector.findings.profiled import Profiled
from inspector.profiles.kernel_timing import KernelTiming
from inspector.profiles.launch_timing import LaunchTiming
from inspector.profiles.roofline import make_roofline
from inspector.profiles.slowdown import make_slowdown
from inspector.profiles.throttling import held_back, slowed_by
from inspector.records.ceilings import Ceilings, DeviceState
from inspector.renderers.json.autotuning import autotuning_fields
from inspector.renderers.json.ceilings import ceilings_fields
from inspector.renderers.json.lines import line_fields
from inspector.renderers.json.memory import memory_fields
from inspector.renderers.json.recording import recording_fields
from inspector.version import __version__


def profile_fields(report: ProfileReport) -> dict[str, object]:
    """All fields of a report on profiles."""
    ceilings = report.ceilings
    return {
        "format_version": FORMAT_VERSION,
        "kind": "profile",
        "tool_version": __version__,
        "recording": recording_fields(report.run.meta),
        "versions": [dict(sorted(process.versions.items())) for process in report.run.processes],
        "profiles": [_profile(found, ceilings) for found in report.profiles],
        "ceilings": None if ceilings is None else _ceilings(ceilings),
        "autotuning": autotuning_fields(report.autotuning),
        "notices": list(report.notices),
    }


def _ceilings(ceilings: Ceilings) -> dict[str, object]:
    return {
        **ceilings_fields(ceilings),
        "state_missing": ceilings.state_missing or None,
        "slowed_by": list(slowed_by(ceilings.state)),
        "unstable": dict(ceilings.unstable),
        "missing": dict(ceilings.missing),
        "facts": dict(ceilings.facts),
        "took_ns": ceilings.took_ns or None,
    }


def _profile(found: Profiled, ceilings: Ceilings | None) -> dict[str, object]:
    profile = found.profile
    return {
        "input": profile.input,
        "device": dict(profile.device),
        "arguments": [
            {"value": item.value} if not item.dtype else {"dtype": item.dtype, "size": item.size}
            for item in profile.arguments
        ],
        **_wall(found),
        "blocks": [
            {
                "kind": "compiled" if block.kind == "plain" else block.kind,
                "round": block.round,
                "times_ns": list(block.times_ns),
            }
            for block in profile.timed_blocks
        ],
        "failed": None if profile.error is None else dataclasses.asdict(profile.error),
        **_busy_and_idle(found),
        "compiled_less_eager": _gap(found),
        "launches": found.launches,
        "operators_outside": found.operators if found.is_cpu else None,
        "memory_bytes": dict(profile.memory),
        "memory": None if found.memory is None else memory_fields(found.memory),
        "attributed": found.attributed,
        "work": [_work(item) for item in found.work],
        "lines": [
            {"file": file, "line": line, "time_ns": time_ns}
            for (file, line), time_ns in found.by_line.items()
        ],
        "operators": dict(found.by_operator),
        "modules": dict(found.by_module),
        "device_state": _state(found.state),
        "roofline": _roofline(found, ceilings),
        "gains": [
            {
                "at_most_ns": gain.time_ns,
                "because": gain.what,
                "change": gain.change,
                "hidden_by_host": gain.is_hidden,
                "known": gain.is_known,
            }
            for gain in found.gains
        ],
    }


def _wall(found: Profiled) -> dict[str, object]:
    """How long a call takes, with the compiler and without."""
    budget = found.budget
    low, ratio, high = budget.faster or (None, None, None)
    bounds = budget.profiled
    return {
        "wall_ns": budget.wall_ns,
        "calls": budget.calls,
        "back_to_back": found.profile.back_to_back,
        "watched_ns": budget.watched_ns,
        "shown_ns": budget.shown_ns,
        "profiler_slowdown": None if budget.profiled is None else budget.slowdown,
        "profiler_slowdown_interval": None if bounds is None else [bounds[0], bounds[2]],
        "eager_ns": budget.eager_ns,
        "eager_busy_ns": budget.eager_busy_ns,
        "eager_launches": budget.eager_launches,
        "faster_than_eager": ratio,
        "faster_than_eager_interval": None if low is None else [low, high],
        "spread_of_blocks": budget.spread,
        "stable": None if budget.spread is None else budget.is_stable,
    }


def _gap(found: Profiled) -> dict[str, object] | None:
    """The difference to eager calls, divided; it adds up with the rest."""
    gap = make_slowdown(found.profile, found.budget)
    if gap is None:
        return None
    return {
        "whole_ns": gap.whole_ns,
        "parts": [
            {
                "cause": part.cause,
                "compiled_ns": part.compiled_ns,
                "eager_ns": part.eager_ns,
                "more_ns": part.more_ns,
            }
            for part in gap.parts
        ],
        "rest_ns": gap.rest_ns,
        "copies_apart": gap.has_copies,
        "approximate": gap.is_approximate,
    }


def _busy_and_idle(found: Profiled) -> dict[str, object]:
    """What the device does meanwhile, and why it does nothing."""
    budget = found.budget
    return {
        "busy_ns": budget.busy_ns,
        "busy_by_device_ns": {
            str(device): time_ns for device, time_ns in budget.busy_by_device_ns.items()
        },
        "host_copies_ns": budget.host_copies_ns,
        "explained_slowdown": budget.explained_slowdown,
        "idle_causes_approximate": budget.is_approximate,
        "outside_statements_ns": found.outside_ns if found.is_cpu else None,
        "launches_unmatched": found.profile.unmatched,
        "idle_ns": budget.idle_ns,
        "idle_by_cause_ns": dict(budget.causes_ns),
    }


def _state(state: DeviceState | None) -> dict[str, object] | None:
    if state is None:
        return None
    return {
        "before": dict(state.before),
        "after": dict(state.after),
        "elapsed_ns": state.elapsed_ns,
        "slowed_by": dict(held_back(state)),
        "missing": state.missing or None,
        "others_percent": state.others_percent,
    }


def _roofline(found: Profiled, ceilings: Ceilings | None) -> dict[str, object]:
    made = make_roofline(found.work, ceilings)
    return {
        "bytes_per_s": dict(made.memory),
        "flops_per_s": dict(made.peaks),
        "points": [
            {
                "name": point.name,
                "count": point.number,
                "kind": point.kind,
                "time_ns": point.time_ns,
                "flops_per_byte": point.flops_per_byte,
                "flops_per_s": point.flops_per_s,
                "flops_estimated": point.is_estimate,
            }
            for point in made.points
        ],
    }


def _work(work: KernelTiming) -> dict[str, object]:
    low, high = work.spread_ns
    return {
        "name": work.name,
        "kind": work.kind,
        "time_ns": work.time_ns,
        "median_ns": work.median_ns,
        "p5_ns": low,
        "p95_ns": high,
        "operators": list(work.operators),
        "dtype": work.dtype or None,
        "arithmetic": work.unit or None,
        "bytes": work.bytes_,
        "bytes_from_memory": work.memory_bytes,
        "flops": work.flops,
        "bytes_per_s": work.bytes_per_s,
        "flops_per_s": work.flops_per_s,
        "bound": work.bound.value,
        "ceiling_per_s": work.ceiling,
        "share_of_ceiling": work.share_of_ceiling,
        "modules": list(work.modules),
        "lines": line_fields(work.lines),
        "compile_id": work.launches[0].code.compile_id if work.launches[0].code else None,
        "direction": work.launches[0].code.direction if work.launches[0].code else None,
        "launches": [_launch(item) for item in work.launches],
    }


def _launch(item: LaunchTiming) -> dict[str, object]:
    launch = item.launch
    return {
        "name": launch.name or None,
        "kind": launch.kind,
        "median_ns": item.median_ns,
        "device": launch.device,
        "stream": launch.stream,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "registers": launch.registers,
        "shared_bytes": launch.shared_bytes,
        "copied_bytes": launch.copied_bytes,
        "cuda_graph": launch.is_replayed,
        "counters": dict(item.counters),
    }
