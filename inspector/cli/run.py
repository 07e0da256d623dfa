"""``inspect run``: records any program, however it calls ``torch.compile``."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from inspector import plugins
from inspector.cli.gate import EXIT_FINDINGS, asked_gate, gate_options, print_verdict, with_gate
from inspector.cli.grouped import Command
from inspector.cli.options import process_options, size_option
from inspector.cli.record import record
from inspector.errors import EnvironmentLacksError
from inspector.features.overview.run_summary import summary_lines
from inspector.report.report import make_report
from inspector.run.sources.child import Settings
from inspector.run.sources.program import program_command


@click.command(
    "run",
    cls=Command,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@process_options
@gate_options
@size_option
@click.option(
    "--no-measure",
    "measure",
    flag_value=False,
    default=True,
    help="Do not profile the program's calls; findings then have no costs.",
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=True)
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    program: tuple[str, ...],
    python: str | None,
    timeout: float | None,
    save: Path | None,
    fail_on: tuple[str, ...],
    baseline: Path | None,
    max_bytes: int | None,
    *,
    measure: bool,
) -> int:
    """Record any program and all its processes, however they call torch.compile.

    PROGRAM is a script, -m and a module, or an executable (torchrun, accelerate), each with its
    arguments. The program keeps its arguments, standard streams and exit code. Every process that
    imports torch is recorded: ranks, forked or spawned workers, and Python programs that the
    program starts. With --fail-on, matching findings change exit code 0 to 1.

    \b
    Examples:
      inspect run samples/train.py --epochs 1
      inspect run -m samples.train --epochs 1
      inspect run torchrun --nproc-per-node 2 samples/train.py
      inspect run --timeout 60 -- samples/train.py
      inspect run --fail-on graph-break,recompile samples/train.py
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    gate = asked_gate(fail_on, baseline)
    _check_autoload()
    arguments = ("run", *program_command(program, python, sys.executable))
    settings = Settings(
        python=python,
        timeout_seconds=timeout,
        save=save,
        progress=False,  # the program's standard error is its own
        own_stdout=True,
        fresh_caches=False,
        max_bytes=max_bytes,
        # A service is to be left alone.
        measure=measure and max_bytes is None,
    )
    asked = {"caches": "user"} | ({} if max_bytes is None else {"max_bytes": max_bytes})
    recorded = record(arguments, _name(program), asked, settings)
    lines = summary_lines(recorded.run, str(recorded.place))
    apart = "\n" if recorded.run.meta.error and sys.stderr.isatty() else ""
    sys.stderr.write(apart + "\n".join(lines) + "\n")
    if gate is None:
        return recorded.ending.shell_exit_code
    rules = plugins.load_rules("run")
    report = with_gate(make_report(recorded.run, rules), gate)
    print_verdict(report, "inspect: ")
    failed = report.gate is not None and not report.gate.passed
    return recorded.ending.shell_exit_code or (EXIT_FINDINGS if failed else 0)


def _name(program: Sequence[str]) -> str:
    """What is recorded, without arguments, which could be secrets; of a launcher also the script.

    ``torchrun … train.py`` is shown as ``torchrun train.py``.
    """
    if program[0] == "-m":
        return program[1]
    if Path(program[0]).exists():
        return program[0]
    scripts = [text for text in program[1:] if text.endswith(".py") and Path(text).is_file()]
    return " ".join((program[0], *scripts[:1]))


def _check_autoload() -> None:
    """Refuses where torch is told to load no extension, as which the recorder comes."""
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") != "1":
        raise EnvironmentLacksError(
            "TORCH_DEVICE_BACKEND_AUTOLOAD is set, so torch does not load the recorder.",
            "Unset it, or record a plain trace with TORCH_TRACE=DIR and read it with: "
            "inspect explain DIR",
        )
