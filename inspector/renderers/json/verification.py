"""What was tried from outside as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.model.edit import Rewrite
from inspector.model.request import Setting
from inspector.model.verification import Measured, Trial, Tried, Verification
from inspector.records.trial import Comparison


def verification_fields(verification: Verification) -> dict[str, object]:
    """Everything that was tried."""
    baseline, again = verification.baseline, verification.baseline_again
    return {
        "backend": verification.backend or None,
        "deterministic": verification.deterministic,
        "baseline": None if baseline is None else _measured(baseline),
        "trials": [_trial(trial) for trial in verification.trials],
        "left_out": list(verification.left_out),
        "not_tried": verification.not_tried or None,
        "rewrites_left": verification.rewrites_left,
        "baseline_again": None if again is None else _measured(again),
    }


def tried_fields(tried: Tried) -> dict[str, object]:
    """What a trial says about one finding."""
    before, after = tried.recompiles or (None, None)
    return {
        "settings": _settings(tried.settings),
        "rewrites": [_rewrite(rewrite) for rewrite in tried.rewrites],
        "outputs_equal": tried.outputs_equal,
        "recompiles_before": before,
        "recompiles_after": after,
        "warm_call_ratio": tried.warm_call_ratio,
    }


def _trial(trial: Trial) -> dict[str, object]:
    candidate = trial.candidate
    return {
        "settings": _settings(candidate.settings),
        "rewrites": [_rewrite(rewrite) for rewrite in candidate.rewrites],
        "gb_ids": list(candidate.gb_ids),
        "caution": candidate.caution or None,
        "measured": None if trial.measured is None else _measured(trial.measured),
        "failure": trial.failure or None,
        "removed": list(trial.removed),
        "added": trial.added,
        "helps": trial.helps,
    }


def _rewrite(rewrite: Rewrite) -> dict[str, object]:
    """Lines from 1, columns from 0 in bytes of UTF-8."""
    return {
        "advice": rewrite.advice,
        "file": rewrite.file,
        "line": rewrite.line,
        "edits": [
            {
                "line": edit.line,
                "column": edit.column,
                "end_line": edit.end_line,
                "end_column": edit.end_column,
                "old": edit.old,
                "new": edit.new,
            }
            for edit in rewrite.edits
        ],
    }


def _settings(settings: Iterable[Setting]) -> dict[str, object]:
    return {name: value if isinstance(value, bool) else list(value) for name, value in settings}


def _measured(measured: Measured) -> dict[str, object]:
    outputs = measured.outputs
    return {
        "graphs": measured.graphs,
        "graph_breaks": measured.graph_breaks,
        "distinct_graph_breaks": measured.distinct_graph_breaks,
        "recompiles": measured.recompiles,
        "compilations": measured.compilations,
        "compile_time_ns": measured.compile_time_ns,
        "warm_call_ns": measured.warm_call_ns,
        "least_warm_call_ns": measured.least_warm_call_ns,
        "outputs": None if outputs is None else _outputs(outputs),
    }


def _outputs(outputs: Comparison) -> dict[str, object]:
    return {
        "equal": outputs.equal,
        "values": outputs.values,
        "differing": outputs.differing,
        "uncompared": outputs.uncompared,
        "max_abs_error": outputs.max_abs_error,
        "max_rel_error": outputs.max_rel_error,
        "first": outputs.first or None,
    }
