"""Why findings may be missing from a report, as far as the recording tells."""

from __future__ import annotations

import collections

from inspector.records.environment import Dropped
from inspector.report.fail_on import fails_on
from inspector.report.finding import Finding
from inspector.report.processes import labels
from inspector.report.severity import Severity
from inspector.report.wording import count, failure, listed
from inspector.run.compilation import Frame
from inspector.run.graph_break import Evidence
from inspector.run.run import Run
from inspector.shared.stack import shown_name

_MOST_NAMED = 3


def incomplete(run: Run, findings: tuple[Finding, ...], fail_on: tuple[str, ...]) -> str:
    """Why findings may be missing, in one sentence, or an empty string."""
    meta = run.meta
    if meta.partial:
        return f"the recording is partial: {meta.partial.rstrip('.')}"
    if meta.error:
        return f"{failure(meta)}, and what comes after that was not compiled"
    if run.warnings:
        return "parts of the log could not be read"
    if any(process.problems for process in run.processes):
        return "the recorder itself failed in places"
    missing = cut_off(run) or _dropped(run, fail_on)
    if missing:
        return missing
    # Where torch.compile is switched off there are no graph breaks either.
    accepted = any(finding.is_new is False for finding in findings)
    return "" if run.compilations or accepted else "nothing was compiled"


def cut_off(run: Run) -> str:
    """The processes whose log ends in the middle of a compilation, and does not say why.

    One sentence without a full stop, or an empty string.

    A worker that left with ``os._exit`` does not say its end either; when nothing was being
    compiled, it may have been done. Of a plain trace nothing says how its program ended.
    """
    is_trace = not run.meta.format_version
    cut = [
        (label, frame)
        for label, process in zip(labels(run), run.processes, strict=True)
        if is_trace or not process.ended
        for frame in process.frames
        if _is_unfinished(frame)
    ]
    if not cut:
        return ""
    if is_trace and len(run.processes) == 1:
        return f"the trace ends while {_called(cut[0][1])} is being compiled"
    logs = dict.fromkeys(f"the log of {label}" for label, _ in cut)
    names = dict.fromkeys(_called(frame) for _, frame in cut)
    ends = "ends while" if len(logs) == 1 else "end while"
    are = "is" if len(names) == 1 else "are"
    return (
        f"{listed(list(logs), _MOST_NAMED)} {ends} {listed(list(names), _MOST_NAMED)} "
        f"{are} being compiled"
    )


def _is_unfinished(frame: Frame) -> bool:
    """Whether a compilation of the frame has no end; a further one of a compiled frame, too."""
    return any(
        # What torch logs outside of any compilation has no end that could be missing.
        not item.finished and item.compile_id.frame_id is not None
        for item in frame.compilations
    )


def _called(frame: Frame) -> str:
    return f"`{shown_name(frame.name)}`" if frame.name else "a function"


def _dropped(run: Run, fail_on: tuple[str, ...]) -> str:
    """What was dropped to keep logs below a size, if the gate asks for such findings."""
    kept = {item.key for item in run.graph_breaks if item.evidence is not Evidence.FAILURE}
    totals: collections.Counter[str] = collections.Counter()
    limit = 0
    for dropped in filter(None, (process.last(Dropped) for process in run.processes)):
        # A site of which a record is kept is still a finding. Of the others only the number is
        # known: any of them may have been a finding of its own.
        counts = {**dropped.counts, "sites": len(set(dropped.sites) - kept)}
        for name, (rule, severity, noun) in _LOST.items():
            if counts.get(name) and fails_on(fail_on, rule, severity):
                totals[noun] += counts[name]
                limit = max(limit, dropped.max_bytes)
    if not totals:
        return ""
    what = listed([count(number, noun) for noun, number in totals.items()])
    return f"findings were dropped to keep the log below {limit:,} bytes: {what}"


# By what was counted: the rule of the finding that it would have been, its severity, a noun.
_LOST = {
    "sites": ("graph-break", Severity.WARNING, "graph break site"),
    "graph_breaks_raised": ("graph-break", Severity.ERROR, "raised graph break"),
    "recompiles": ("recompile", Severity.WARNING, "recompile"),
    "recompile_limit_hits": ("recompile", Severity.ERROR, "recompile limit hit"),
    "skips": ("skipped-frame", Severity.WARNING, "skipped function"),
    "failures": ("compile-error", Severity.ERROR, "failed compilation"),
}
