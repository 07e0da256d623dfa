"""``inspect run``: records any program, however it calls ``torch.compile``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from inspector import plugins
from inspector.commands.gate import (
    EXIT_FINDINGS,
    asked_gate,
    gate_options,
    say_verdict,
    with_gate,
)
from inspector.commands.options import process_options
from inspector.commands.record import Recorded, Settings, record
from inspector.errors import UsageError
from inspector.findings.report import make_report
from inspector.findings.wording import count
from inspector.model.summary import summarize

__all__ = ["command"]


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@process_options
@gate_options
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=True)
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    program: tuple[str, ...],
    python: str | None,
    timeout: float | None,
    save: Path | None,
    fail_on: tuple[str, ...],
    baseline: Path | None,
) -> int:
    """Record any program, however it calls torch.compile.

    PROGRAM is a script with its arguments, or -m and a module with its arguments. Arguments,
    standard streams and exit code are the program's own; the recording is what is added. With
    --fail-on a program that ends with 0 ends with 1 where there are such findings.

    \b
    Examples:
      inspect run train.py --epochs 1
      inspect run -m package.train --epochs 1
      inspect run --timeout 60 -- train.py
      inspect run --fail-on graph-break,recompile train.py
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    _check(program)
    gate = asked_gate(fail_on, baseline)
    settings = Settings(
        python=python,
        timeout_seconds=timeout,
        save=save,
        progress=False,  # the program's standard error is its own
        own_stdout=True,
        fresh_caches=False,
    )
    name = program[1] if program[0] == "-m" else program[0]
    recorded = record(("run", *program), name, {"caches": "user"}, settings)
    _say(recorded)
    if gate is None:
        return recorded.ending.shell_exit_code
    rules = [module.RULE for module in plugins.load_analyses()]
    report = with_gate(make_report(recorded.run, rules), gate)
    say_verdict(report, "inspect: ")
    failed = report.gate is not None and not report.gate.passed
    return recorded.ending.shell_exit_code or (EXIT_FINDINGS if failed else 0)


def _check(program: tuple[str, ...]) -> None:
    if program[0] == "-m":
        if len(program) == 1:
            raise UsageError("-m needs the name of a module.", "inspect run -m package.train")
        return
    path = Path(program[0])
    if path.is_dir() and not (path / "__main__.py").is_file():
        raise UsageError(f"{path} is a folder.", "Name a script in it, or use -m for a package.")
    if not path.exists():
        raise UsageError(f"There is no script {path}.", "Use: inspect run [--] script.py args…")


def _say(recorded: Recorded) -> None:
    partial = recorded.run.meta.partial
    lines = [
        f"inspect: {_counts(recorded)}",
        f"inspect: recording {recorded.place}" + (f" is partial: {partial}" if partial else ""),
        f"inspect: next: inspect explain {shlex.quote(str(recorded.place))}",
    ]
    sys.stderr.write("\n".join(lines) + "\n")


def _counts(recorded: Recorded) -> str:
    summary = summarize(recorded.run)
    if not summary.frames:
        return (
            "nothing was compiled in the process that was recorded; "
            "processes that it spawned are not observed"
        )
    breaks = count(summary.graph_breaks, "graph break")
    if summary.graph_breaks:
        breaks += f" at {count(summary.distinct_graph_breaks, 'site')}"
    counted = (
        count(summary.frames, "frame"),
        count(summary.graphs, "graph"),
        breaks,
        count(summary.recompiles, "recompile"),
    )
    return ", ".join(counted)
