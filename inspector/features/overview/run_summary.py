"""What is said when a recording has been made: its counts, where it is, what to do next."""

import shlex

from inspector.features.breaks.rules.compile_error import OF_BACKENDS
from inspector.report.command_line import command_about, command_again, is_model
from inspector.report.escaping import one_line
from inspector.report.wording import count, failure
from inspector.run.ended import further_endings
from inspector.run.run import Run
from inspector.run.summary import Summary, summarize


def summary_lines(run: Run, place: str) -> tuple[str, ...]:
    """Lines for standard error; why it failed is the last thing to see."""
    partial = run.meta.partial
    failed = (f"inspect: {failure(run.meta)}: {run.meta.error}",) if run.meta.error else ()
    return (
        f"inspect: {_counts(run)}",
        f"inspect: recording {place}" + (f" is partial: {partial}" if partial else ""),
        f"inspect: next: inspect explain {shlex.quote(place)}",
        *map(one_line, (*(f"inspect: {text}" for text in further_endings(run)), *failed)),
    )


def _counts(run: Run) -> str:
    summary = summarize(run)
    if not summary.frames:
        return "nothing was compiled in the recorded processes"
    compiling = sum(bool(process.frames) for process in run.processes)
    over = f" in {compiling} processes" if compiling > 1 else ""
    return ", ".join(summary_counts(summary)) + over


def summary_counts(summary: Summary) -> tuple[str, ...]:
    """Frames, graphs, graph breaks and recompilations, each with its noun."""
    breaks = count(summary.graph_breaks, "graph break")
    if summary.graph_breaks:
        breaks += f" at {count(summary.distinct_graph_breaks, 'site')}"
    return (
        count(summary.frames, "frame"),
        count(summary.graphs, "graph"),
        breaks,
        count(summary.recompiles, "recompile"),
    )


def next_steps(run: Run) -> tuple[str, ...]:
    """What to run next: about the first break or recompilations; else the model's other half."""
    gb_ids = [record.cause.gb_id for record in run.graph_breaks if record.cause.gb_id]
    steps = [f"inspect rule {gb_ids[0]}"] if gb_ids else []
    failures = [item.failure for item in run.compilations if item.failure and item.raised]
    if is_model(run) and any(failure.type in OF_BACKENDS for failure in failures):
        steps.append(command_again(run, "repro"))
    # What failed or was cut off would fail in the same way again.
    can_repeat = is_model(run) and not (run.meta.error or run.meta.partial)
    if can_repeat and (run.graph_breaks or any(item.recompile for item in run.compilations)):
        steps.append(command_again(run, "explain", "--verify"))
    if can_repeat and not run.graph_breaks and _can_train(run):
        steps.append(command_again(run, "explain", "--train"))
    # Without a target the newest recording of the store is read: this one, if it has a number.
    if run.meta.name.isdigit():
        steps.append(command_about(run, "report"))
    return tuple(steps)


def _can_train(run: Run) -> bool:
    calls = [call for process in run.processes for call in process.calls]
    return not run.meta.settings["train"] and all(call.requires_grad is not False for call in calls)
