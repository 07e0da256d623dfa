"""``inspect cold-start``: where compile time goes, and what the caches had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file
from inspector.commands.options import always_inductor, process_options, target_options
from inspector.commands.output import check_output, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Settings
from inspector.commands.target import is_model, read, recorded, refuse_options
from inspector.costs.cache_keys import key_changes, unmatched
from inspector.costs.cold_start import cold_start
from inspector.errors import RecordingError, UsageError
from inspector.findings.cold_start import Against, ColdStartReport
from inspector.findings.report import make_report
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.model.run import Run
from inspector.plugins import REPORTS, load_rules, renderer_for_suffix

_BACKEND = "inductor"
_KIND = "cold-start"


@click.command("cold-start")
@click.argument("target", required=False, shell_complete=complete_file)
@target_options
@process_options
@click.option(
    "--against",
    metavar="OTHER",
    type=click.Path(path_type=Path),
    help="A recording or trace to compare the keys of the caches with.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to a file; the end of its name is the format: .json, .md, .txt, .speedscope.json "
    "for speedscope, .perfetto.json or .trace.json for Perfetto.",
)
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    help="Format on standard output: terminal, json, markdown, speedscope.json, perfetto.json.",
)
@click.option("--no-progress", is_flag=True, help="Show no progress while recording.")
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    against: Path | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Show where compile time goes, by stage, function and line, and what the caches had.

    TARGET is a model, which is recorded first with empty caches and, unless --backend says
    otherwise, with Inductor; or a recording (a folder or .zip), a TORCH_TRACE log, or a folder of
    such logs. Without a TARGET the newest recording is read. A start with warm caches is what
    `inspect run` records, which leaves your caches as they are.

    \b
    Examples:
      inspect cold-start samples/small_cnn/model.py
      inspect cold-start samples/small_cnn/recording.zip -o compile.perfetto.json
      inspect cold-start samples/small_cnn/model.py --against samples/small_cnn/recording.zip
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_output(output, format_, _KIND)
    unasked = {name for name in ("train", "fullgraph") if not asked[name]}
    given = {k: v for k, v in asked.items() if v is not None and v != () and k not in unasked}
    parse_inputs(given.get("inputs", ()))
    formats = {format_, None if output is None else renderer_for_suffix(output, _KIND)}
    keep_spans = not formats.isdisjoint(REPORTS[_KIND].formats)
    other = None if against is None else _other(against)
    if target is not None and is_model(target):
        if python is None:
            check_file(target)
        settings = Settings(
            python=python,
            timeout_seconds=timeout,
            save=save,
            progress=not no_progress,
            own_stdout=False,
            fresh_caches=True,
        )
        # Nothing here is measured in warm calls.
        request = Request(
            target,
            command="cold-start",
            **{"backend": _BACKEND, "measure": False, "line_times": True, **given},
        )
        made = recorded(request, settings)
        run = (
            read(str(made.place), keep_spans=True, explains_recompiles=False)
            if keep_spans
            else made.run
        )
        code = made.exit_code
    else:
        refuse_options({**given, "python": python, "timeout": timeout, "save": save})
        run, code = read(target, keep_spans=keep_spans, explains_recompiles=False), 0
    if keep_spans and not any(process.lanes for process in run.processes):
        raise RecordingError(
            "There is no span of any compilation in it, so that there is no timeline to write.",
            "Record a model that compiles something, or see: inspect explain",
        )
    write_report(_report(run, other, str(against)), output, format_, _KIND)
    return code


# Warm calls have no part in a cold start, and the eager backend compiles nothing.
always_inductor(command)


def _other(against: Path) -> Run:
    if not against.exists():
        raise UsageError(
            f"There is no recording or trace {str(against)!r}.",
            "Record one with: inspect cold-start model.py --save other.zip",
        )
    return read(str(against), explains_recompiles=False)


def _report(run: Run, other: Run | None, name: str) -> ColdStartReport:
    rules = load_rules("cold-start")
    report = make_report(run, rules)
    against = None
    if other is not None:
        time_ns = sum(process.compile_time_ns for process in other.processes)
        against = Against(name, time_ns, key_changes(run, other), *unmatched(run, other))
    return ColdStartReport(report, cold_start(run), against)
