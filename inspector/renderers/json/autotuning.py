"""What autotuning tried, as JSON."""

from __future__ import annotations

from inspector.findings.autotune_wording import autotune_advice
from inspector.profiles.autotuned import NOISE, Autotuning, Tuned
from inspector.records.autotuning import TriedCandidate, TriedTensor
from inspector.renderers.json.lines import line_fields


def autotuning_fields(found: Autotuning | None) -> dict[str, object] | None:
    """The fields of the section, or None."""
    if found is None:
        return None
    return {
        "compile_time_ns": found.compile_time_ns,
        "spent_ns": found.spent_ns,
        "outside_ns": found.outside_ns,
        "kernels_from_cache": found.cached,
        "kernels_with_one_configuration": found.alone,
        "saved_per_call_estimated_ns": found.saved_ns,
        "noise": NOISE,
        "advice": list(autotune_advice(found)),
        "tuned": [_tuned(item) for item in found.tuned],
    }


def _tuned(tuned: Tuned) -> dict[str, object]:
    first = tuned.first
    return {
        "kind": first.kind,
        "name": first.name,
        "how": first.how,
        "error": first.error or None,
        "compile_id": first.compile_id or None,
        "backward": first.is_backward,
        "node": first.node or None,
        "operator": first.target or None,
        "inputs": [_tensor(item) for item in first.inputs],
        "output": _tensor(first.output) if first.output is not None else None,
        "heuristic": first.heuristic or None,
        "file": first.file or None,
        "line": first.line or None,
        "places": tuned.places,
        "spent_ns": tuned.spent_ns,
        "benchmark_ns": tuned.benchmark_ns,
        "compile_ns": tuned.compile_ns,
        "timed_in_processes": first.in_processes,
        "compiled_in_workers": first.in_workers,
        "decided_with_fusion": first.is_deferred,
        "outside_of_graphs": first.is_outside,
        "configurations_listed": first.listed,
        "configurations_added": first.scaled,
        "chosen": tuned.chosen,
        "default": tuned.default,
        "margin": tuned.margin,
        "gain_over_default": tuned.gain,
        "launches": tuned.launches,
        "in_place_ns": tuned.in_place_ns,
        "lines": line_fields(tuned.lines),
        "candidates_total": tuned.total,
        "candidates_failed": tuned.failures,
        "candidates": [_candidate(item) for item in tuned.candidates],
    }


def _tensor(tensor: TriedTensor) -> dict[str, object]:
    return {"shape": list(tensor.shape), "dtype": tensor.dtype, "device": tensor.device}


def _candidate(item: TriedCandidate) -> dict[str, object]:
    return {
        "at": item.at,
        "name": item.name or None,
        "configuration": item.text or None,
        "kind": item.kind,
        "time_ns": item.time_ns,
        "p20_ns": item.low_ns,
        "p80_ns": item.high_ns,
        "failed": item.failed or None,
        "spent_ns": item.spent_ns,
        "compile_ns": item.compile_ns,
        "step": item.step or None,
        "registers": item.registers,
        "spills": item.spills,
        "shared_bytes": item.shared_bytes,
    }
