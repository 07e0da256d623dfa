"""What is said when a recording has been made: its counts, where it is, what to do next."""

from __future__ import annotations

import shlex

from inspector.findings.command_line import command_about
from inspector.findings.escaping import one_line
from inspector.findings.wording import count, failure
from inspector.model.ended import further_endings
from inspector.model.run import Run
from inspector.model.summary import summarize

__all__ = ["closing_lines", "next_steps"]


def closing_lines(run: Run, place: str) -> tuple[str, ...]:
    """Lines for standard error, under the program's own.

    Args:
        run: What was recorded.
        place: The recording.
    """
    partial = run.meta.partial
    failed = (f"inspect: {failure(run.meta)}: {run.meta.error}",) if run.meta.error else ()
    return (
        *map(one_line, (*failed, *(f"inspect: {text}" for text in further_endings(run)))),
        f"inspect: {_counts(run)}",
        f"inspect: recording {place}" + (f" is partial: {partial}" if partial else ""),
        f"inspect: next: inspect explain {shlex.quote(place)}",
    )


def _counts(run: Run) -> str:
    summary = summarize(run)
    if not summary.frames:
        return "nothing was compiled in the processes that were recorded"
    breaks = count(summary.graph_breaks, "graph break")
    if summary.graph_breaks:
        breaks += f" at {count(summary.distinct_graph_breaks, 'site')}"
    counted = (
        count(summary.frames, "frame"),
        count(summary.graphs, "graph"),
        breaks,
        count(summary.recompiles, "recompile"),
    )
    compiling = sum(bool(process.frames) for process in run.processes)
    over = f" in {compiling} processes" if compiling > 1 else ""
    return ", ".join(counted) + over


def next_steps(run: Run) -> tuple[str, ...]:
    """What to run next: about the first break or recompilations; else the model's other half."""
    target = run.meta.target
    gb_ids = [record.cause.gb_id for record in run.graph_breaks if record.cause.gb_id]
    steps = [f"inspect rule {gb_ids[0]}"] if gb_ids else []
    settings = run.meta.settings
    # A program that was recorded as it ran (inspect run) is no model to be compiled.
    is_model = (".py" in target or ":" in target) and "train" in settings
    if is_model and (run.graph_breaks or any(item.recompile for item in run.compilations)):
        steps.append(f"inspect explain {shlex.quote(target)} --verify")
    if not run.graph_breaks and is_model and not settings["train"]:
        steps.append(f"inspect explain {shlex.quote(target)} --train")
    # Without a target the newest recording of the store is read: this one, if it has a number.
    if run.meta.name.isdigit():
        steps.append(command_about(run, "explain", "-o", "report.md"))
    return tuple(steps)
