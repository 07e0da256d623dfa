"""Why findings may be missing from a report, as far as the recording tells."""

from inspector.report.finding import Finding
from inspector.report.processes import labels
from inspector.report.wording import failure, listed
from inspector.run.compilation import Frame
from inspector.run.run import Run
from inspector.shared.stack import shown_name

_MOST_NAMED = 3


def incomplete(run: Run, findings: tuple[Finding, ...]) -> str:
    """Why findings may be missing, in one sentence, or an empty string."""
    meta = run.meta
    if meta.partial:
        return f"the recording is partial: {meta.partial.rstrip('.')}"
    if meta.error:
        return f"{failure(meta)}, so later code was not compiled"
    if run.warnings:
        return "parts of the log could not be read"
    if any(process.problems for process in run.processes):
        return "the recorder failed in places"
    if missing := cut_off(run):
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
        # What torch logs outside of any compilation has no end that could be missing.
        if any(
            not item.finished and item.compile_id.frame_id is not None
            for item in frame.compilations
        )
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


def _called(frame: Frame) -> str:
    return f"`{shown_name(frame.name)}`" if frame.name else "a function"
