"""``inspect bench claims.toml``: published figures beside what this machine gives."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.benches.claims import Check, Verdict, checked
from inspector.commands.bench_collection import Job, Outcome, exit_code_of, measured_each
from inspector.commands.bench_measure import INTERRUPTED, BenchProcess, plan_of
from inspector.errors import UsageError
from inspector.findings.claims_report import CheckedModel, ClaimsReport, make_claims_report
from inspector.model.bench import BenchPlan
from inspector.model.claims import ClaimedModel, Claims
from inspector.model.near_matches import did_you_mean
from inspector.sources.claims_file import read_claims

_THEIRS = ("device", "sessions", "rounds", "cold_cache")
_TARGET = re.compile(r"(?P<file>.+\.toml)(?::(?P<part>.+))?", re.IGNORECASE)


def is_claims(targets: Sequence[str]) -> bool:
    """Whether that is a file of claims, or ``file.toml:NAME`` for a part of it."""
    return len(targets) == 1 and _TARGET.fullmatch(targets[0]) is not None


def claims_of(target: str, given: dict[str, Any], how: BenchProcess) -> tuple[ClaimsReport, int]:
    """Measures what is claimed; a model that fails is a line.

    Args:
        target: The file, and a part of the names of the models that are wanted.
        given: The options of the command line that were given.
        how: How the processes are run; ``save`` is a folder for a recording of each model.

    Returns:
        The report, and the exit code that belongs to it.

    Raises:
        UsageError: The file or the options are not what they should be.
        RecordingError: The recordings cannot be written.
    """
    for name in given:
        if name not in _THEIRS:
            spelled = name.removesuffix("s") if name == "inputs" else name.replace("_", "-")
            message = f"--{spelled} is a part of what is claimed."
            raise UsageError(message, f"Write it into {target}, or leave it out.")
    claims = _read(target)
    for model in claims.models:  # what is wrong is said before anything is measured
        _check_settings(model, plan_of(model.target, {**model.options, **given}), target)
    jobs = [Job(item.name, item.target, {**item.options, **given}) for item in claims.models]
    found = list(measured_each(jobs, how))
    models = list(map(_checked, claims.models, found))
    earlier = [each.report for each in found if each.is_earlier and each.report]
    reports = [outcome.report for outcome in found if outcome.report is not None]
    is_interrupted = any(outcome.is_interrupted for outcome in found)
    measured = [outcome.measured for outcome in found]
    code = INTERRUPTED if is_interrupted else exit_code_of(measured)
    return make_claims_report(claims, models, reports, earlier), code


def _check_settings(model: ClaimedModel, plan: BenchPlan, target: str) -> None:
    """Refuses a claim about a setting that is none of those that are measured."""
    labels = tuple(dict.fromkeys(each.setting.label for each in plan.combinations))
    wrong = next((each.setting for each in model.claims if each.setting not in labels), None)
    if wrong is not None:
        message = f"{target} claims something of {wrong!r} for {model.name}, which is not measured."
        raise UsageError(message, did_you_mean(wrong, labels))


def _checked(model: ClaimedModel, outcome: Outcome) -> CheckedModel:
    found, report = outcome.measured, outcome.report
    if report is None:
        return CheckedModel(model, "", _none(model, found.failure), found.seconds)
    checks = tuple(checked(claim, found.rows) for claim in model.claims)
    inputs = dict.fromkeys(group.inputs for group in report.groups)
    return CheckedModel(model, "; ".join(inputs), checks, found.seconds)


def _read(target: str) -> Claims:
    found = _TARGET.fullmatch(target)
    if found is None:
        raise UsageError(f"{target} is no file of claims.", "Its name ends in .toml.")
    claims = read_claims(Path(found["file"]))
    part = (found["part"] or "").casefold()
    models = tuple(model for model in claims.models if part in model.name.casefold())
    if not models:
        names = ", ".join(model.name for model in claims.models)
        message = f"{found['file']} has no model called {found['part']}."
        raise UsageError(message, f"There are: {names}.")
    return dataclasses.replace(claims, models=models)


def _none(model: ClaimedModel, reason: str) -> tuple[Check, ...]:
    return tuple(Check(claim, Verdict.NONE, reason=reason) for claim in model.claims)
