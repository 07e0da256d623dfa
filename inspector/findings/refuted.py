"""Advice that did not hold when it was tried: it goes behind the other advice, with the reason."""

from __future__ import annotations

import dataclasses
import re

from inspector.findings.finding import Finding
from inspector.findings.settings import DYNAMIC, MARK_DYNAMIC, shown_setting
from inspector.model.verification import Measured, Trial, Verification

_TO = "\N{RIGHTWARDS ARROW}"


def without_refuted(finding: Finding, verification: Verification) -> Finding:
    """A finding whose advice is in the order of what trials have shown."""
    options = [text for text in (finding.fix, *finding.alternatives) if text]
    refuted: list[str] = []
    notes: list[str] = []
    for trial in verification.trials:
        reason = _reason(trial, verification.baseline)
        found = [text for text in options if reason and _is_tried(finding, text, trial)]
        if found:
            refuted += found
            notes.append(f"tried: {reason}")
    if not notes:
        return finding
    ordered = sorted(options, key=lambda text: text in refuted)
    return dataclasses.replace(
        finding,
        fix=ordered[0],
        alternatives=tuple(ordered[1:]),
        notes=(*finding.notes, *dict.fromkeys(notes)),
    )


def _is_tried(finding: Finding, text: str, trial: Trial) -> bool:
    """Whether a trial is of this very advice."""
    candidate = trial.candidate
    if not candidate.is_single:
        return False
    if candidate.rewrites:
        (rewrite,) = candidate.rewrites
        is_first = finding.example is not None and finding.example.id == rewrite.advice
        return text == finding.fix and is_first and rewrite in finding.rewrites
    ((name, _),) = candidate.settings
    # That a setting alone does not help says nothing of a change that needs it.
    is_alone = not any(setting[0] == name for r in finding.rewrites for setting in r.settings)
    shown = f"{name}=True" if name == DYNAMIC else name
    return is_alone and re.search(rf"(?<!maybe_){shown}", text) is not None


def _reason(trial: Trial, before: Measured | None) -> str:
    """Why something that was tried is no advice, or an empty string."""
    candidate = trial.candidate
    if candidate.rewrites:
        what = f"the change at {candidate.rewrites[0].place}"
    elif candidate.settings and candidate.settings[0][0] == MARK_DYNAMIC:
        what = "marking all changing sizes of the inputs"
    else:
        what = ", ".join(map(_named, candidate.settings))
    now = trial.measured
    if trial.failure:
        return f"{what} fails ({trial.failure})"
    if now is None or before is None:
        return ""
    if trial.worsens:
        return f"{what} makes the run worse: {_changes(now, before)}"
    return f"{what} does not help" if candidate.rewrites and not trial.helps else ""


def _named(setting: tuple[str, bool | tuple[str, ...]]) -> str:
    return shown_setting(setting) if isinstance(setting[1], bool) else setting[0]


def _changes(now: Measured, before: Measured) -> str:
    """What went up: ``graph breaks 0 → 3, graphs 3 → 7``."""
    pairs = zip(before.counts(), now.counts(), strict=True)
    return ", ".join(
        f"{name} {was:,} {_TO} {after:,}" for (name, was), (_, after) in pairs if after > was
    )
