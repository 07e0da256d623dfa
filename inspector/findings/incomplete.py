"""Why findings may be missing from a report, as far as the recording tells."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

from inspector.findings.fail_on import FailOn
from inspector.findings.finding import Finding
from inspector.findings.processes import labels
from inspector.findings.severity import Severity
from inspector.findings.wording import count, failure, listed
from inspector.model.compilation import Frame
from inspector.model.graph_break import Evidence
from inspector.model.run import Process, Run
from inspector.model.stack import is_resumed, shown_name
from inspector.records.environment import Dropped

_MOST_NAMED = 3


@dataclasses.dataclass(frozen=True, slots=True)
class _Lost:
    """Findings of one kind that a process has dropped from its log."""

    rule: str
    severity: Severity
    number: int
    noun: str


def incomplete(run: Run, findings: tuple[Finding, ...], fail_on: FailOn) -> str:
    """Why findings may be missing, in one sentence, or an empty string."""
    meta = run.meta
    if meta.partial:
        return f"the recording is partial: {meta.partial.rstrip('.')}"
    if meta.error:
        return f"{failure(meta)}, and what stands behind that was not compiled"
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


def _dropped(run: Run, fail_on: FailOn) -> str:
    """What was dropped to keep logs below a size, if the gate asks for such findings."""
    kept = {item.key for item in run.graph_breaks if item.evidence is not Evidence.FAILURE}
    totals: collections.Counter[str] = collections.Counter()
    limit = 0
    for process in run.processes:
        for lost in _lost(process, kept):
            if lost.number and fail_on.asks_for(lost.rule, lost.severity):
                totals[lost.noun] += lost.number
                dropped = process.last(Dropped)
                limit = max(limit, dropped.max_bytes if dropped else 0)
    if not totals:
        return ""
    what = listed([count(number, noun) for noun, number in totals.items()])
    return f"findings were dropped to keep the log below {limit:,} bytes: {what}"


def _lost(process: Process, kept: set[tuple[str, int, str]]) -> Iterator[_Lost]:
    """What a process has dropped, by the finding that it would have been.

    A site of which a record is kept is still a finding. Of recompilations, failures and skipped
    functions only the number is known: any of them may have been a finding of its own.
    """
    dropped = process.last(Dropped)
    if dropped is None:
        return
    counts = dropped.counts
    frames = {(item.frame_id, item.file, item.first_line, item.name) for item in process.frames}
    gone = {key: state for key, state in dropped.states.items() if key not in frames}
    # Recordings made before these were counted have the states of frames alone.
    failed = sum(state == "failed" for state in gone.values())
    empty = sum(state == "skipped" and not is_resumed(key[3]) for key, state in gone.items())
    raised = counts.get("graph_breaks_raised", 0)
    hits = counts.get("recompile_limit_hits", 0)
    sites = len(set(dropped.sites) - kept)
    yield _Lost("graph-break", Severity.WARNING, sites, "graph break site")
    yield _Lost("graph-break", Severity.ERROR, raised, "raised graph break")
    yield _Lost("recompile", Severity.WARNING, counts.get("recompiles", 0), "recompile")
    yield _Lost("recompile", Severity.ERROR, hits, "recompile limit hit")
    skips = counts.get("skips", empty)
    yield _Lost("skipped-frame", Severity.WARNING, skips, "skipped function")
    failures = counts.get("failures", failed)
    yield _Lost("compile-error", Severity.ERROR, failures, "failed compilation")
