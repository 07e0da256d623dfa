"""What a trial's report says against that of the target as it is."""

import collections
import dataclasses
import math
import re
from collections.abc import Iterable, Iterator

from inspector.records.trial import TrialResult
from inspector.report.baseline import compared
from inspector.report.finding import Finding
from inspector.report.report import Report
from inspector.report.settings import DYNAMIC, MARK_DYNAMIC, shown_setting
from inspector.run.summary import Summary
from inspector.run.verification import AdviceTrial, Candidate, Measured, Trial, Verification
from inspector.shared.edit import Setting

_RECOMPILE = "recompile"
_TO = "\N{RIGHTWARDS ARROW}"


def measured(report: Report) -> Measured:
    """What a process came to."""
    summary: Summary = report.summary
    trials = report.run.records(TrialResult)
    trial = trials[0] if trials else None
    return Measured(
        graphs=summary.graphs,
        graph_breaks=summary.graph_breaks,
        distinct_graph_breaks=summary.distinct_graph_breaks,
        recompiles=summary.recompiles + summary.later.recompiles,
        compile_time_ns=summary.compile_time_ns,
        warm_call_ns=trial.warm_call_ns if trial else None,
        least_warm_call_ns=trial.least_warm_call_ns if trial else None,
        outputs=trial.outputs if trial else None,
        compilations=sum(not item.hit_limit for item in report.run.compilations),
    )


def trial_of(
    candidate: Candidate, report: Report, before: Report, *, deterministic: bool | None
) -> Trial:
    """A candidate that was tried."""
    is_new, fixed = compared(report.findings, before.findings)
    gone = tuple(_gone(fixed, before, report))
    removed = tuple(dict.fromkeys(item.fingerprint for item in gone))
    was, now = measured(before), measured(report)
    spoils = deterministic and now.outputs is not None and now.outputs.equal is False
    worsens = now.is_worse_than(was)
    return Trial(
        candidate,
        now,
        removed=removed,
        added=sum(is_new),
        helps=not spoils and not worsens and now.is_fewer_than(was),
        worsens=worsens,
        recompiles=_counts(gone, before, report),
    )


def _counts(gone: Iterable[Finding], before: Report, report: Report) -> dict[str, tuple[int, int]]:
    """How often the function of a recompilation was compiled again without and with a setting."""
    was, now = _recompiled(before), _recompiled(report)
    return {
        item.fingerprint: (was[_at(item)], now[_at(item)])
        for item in gone
        if item.rule == _RECOMPILE
    }


def _gone(fixed: Iterable[Finding], before: Report, report: Report) -> Iterator[Finding]:
    """What is gone, and has not become another finding at the same place.

    Every recompilation of a function is found at its first line: one is gone where the function is
    compiled fewer times, and not where the next guard failed in its place.
    """
    prints = {finding.fingerprint for finding in report.findings}
    places = {(item.rule, _at(item)) for item in report.findings}
    was, now = _recompiled(before), _recompiled(report)
    for item in fixed:
        if item.rule == _RECOMPILE:
            replaced = now[_at(item)] >= was[_at(item)]
        else:
            replaced = (item.rule, _at(item)) in places
        if item.fingerprint not in prints and not replaced:
            yield item


def _recompiled(report: Report) -> collections.Counter[tuple[str, int]]:
    """How often the function at a place was compiled again, or should have been."""
    found: collections.Counter[tuple[str, int]] = collections.Counter()
    for finding in report.findings:
        found[_at(finding)] += len(finding.recompiles)
    return found


def _at(finding: Finding) -> tuple[str, int]:
    return finding.place.file, finding.place.line


def together(verification: Verification, *, lines_only: bool = False) -> Candidate | None:
    """All that helped, in one process; None where that is nothing new.

    Of two that remove the same findings (messages moved, messages dropped) and of two changes of a
    line the first is taken, and none that makes a call longer, as far as that is known.
    """
    chosen: list[Trial] = []
    trials = [t for t in verification.trials if not (lines_only and t.candidate.settings)]
    for trial in trials:
        earlier = {fingerprint for other in chosen for fingerprint in other.removed}
        same = bool(trial.removed) and set(trial.removed) <= earlier
        collides = any(
            one.overlaps(two)
            for other in chosen
            for one in other.candidate.rewrites
            for two in trial.candidate.rewrites
        )
        ratio = _ratio(trial, verification)
        is_longer = ratio is not None and ratio > 1
        if trial.helps and not same and not collides and not is_longer:
            chosen.append(trial)
    if len(chosen) < 2:  # noqa: PLR2004 - one alone has been tried
        return None
    settings = _merged([setting for trial in chosen for setting in trial.candidate.settings])
    rewrites = tuple(rewrite for trial in chosen for rewrite in trial.candidate.rewrites)
    if not rewrites and settings in [trial.candidate.settings for trial in chosen]:
        return None
    cautions = dict.fromkeys(trial.candidate.caution for trial in chosen)
    gb_ids = dict.fromkeys(gb_id for trial in chosen for gb_id in trial.candidate.gb_ids)
    return Candidate(settings, tuple(gb_ids), "; ".join(filter(None, cautions)), rewrites)


def _merged(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The settings; a function is in the last of the sets alone that it was tried in.

    Where messages are to be moved and to be dropped, torch moves them. They are dropped only where
    that removes more.
    """
    merged: dict[str, bool | tuple[str, ...]] = {}
    for name, value in settings:
        if isinstance(value, tuple):
            merged |= {
                other: tuple(item for item in items if item not in value)
                for other, items in merged.items()
                if isinstance(items, tuple) and other != name
            }
        before = merged.get(name)
        if isinstance(value, tuple) and isinstance(before, tuple):
            merged[name] = tuple(dict.fromkeys((*before, *value)))
        else:
            merged[name] = value
    return tuple((name, value) for name, value in merged.items() if value != ())


def _ratio(trial: Trial, verification: Verification) -> float | None:
    """Of a change of a line, where graphs are lowered."""
    if trial.measured is None or not trial.candidate.rewrites or not verification.is_lowered:
        return None
    return verification.ratio(trial.measured)


def _rank(tried: AdviceTrial) -> tuple[bool, bool, float]:
    ratio = tried.warm_call_ratio
    known = math.inf if ratio is None else ratio
    return tried.outputs_equal is False, bool(tried.rewrites), known if tried.rewrites else 0


def with_verification(report: Report, verification: Verification) -> Report:
    """A report with what was tried, and its findings with what removes them, fastest first."""
    tried: dict[str, list[AdviceTrial]] = collections.defaultdict(list)
    for trial in verification.trials:
        compared_ = trial.measured.outputs if trial.measured else None
        equal = compared_.equal if compared_ and verification.deterministic else None
        candidate = trial.candidate
        # What helps together is said in the table.
        is_shown = trial.helps or (equal is False and not trial.worsens)
        for fingerprint in trial.removed if candidate.is_single and is_shown else ():
            counts = trial.recompiles.get(fingerprint)
            tried[fingerprint].append(
                AdviceTrial(
                    candidate.settings,
                    equal,
                    counts,
                    candidate.rewrites,
                    _ratio(trial, verification),
                )
            )
    findings = tuple(
        dataclasses.replace(
            without_refuted(finding, verification),
            verified=tuple(sorted(tried.get(finding.fingerprint, ()), key=_rank)),
        )
        for finding in report.findings
    )
    # What was tried is in this report alone: the recording does not have it.
    steps = tuple(
        f"{step} -o report.md" if step.endswith(" --verify") else step
        for step in report.next_steps
        if step != "inspect report"
    )
    return dataclasses.replace(
        report, findings=findings, verification=verification, next_steps=steps
    )


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
    shown = f"{name}=True" if name == DYNAMIC else name
    return re.search(rf"(?<!maybe_){shown}", text) is not None


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
        pairs = zip(before.counts(), now.counts(), strict=True)
        more = [
            f"{name} {was:,} {_TO} {after:,}" for (name, was), (_, after) in pairs if after > was
        ]
        return f"{what} makes the run worse: {', '.join(more)}"
    return f"{what} does not help" if candidate.rewrites and not trial.helps else ""


def _named(setting: tuple[str, bool | tuple[str, ...]]) -> str:
    return shown_setting(setting) if isinstance(setting[1], bool) else setting[0]
