"""``inspect cold-start``: where compile time goes, and what the caches had."""

from pathlib import Path
from typing import Any

import click

from inspector.cli.grouped import Command
from inspector.cli.options import always_inductor, option_help
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import reading
from inspector.errors import RecordingError, UsageError
from inspector.features.compile_time.cache_keys import key_changes, unmatched
from inspector.features.compile_time.cold_start import cold_start
from inspector.features.compile_time.report import Against, ColdStartReport
from inspector.plugins import TIMELINES, load_rules, renderer_for_suffix
from inspector.report.report import make_report
from inspector.run.run import Run

_KIND = "cold-start"


@click.command("cold-start", cls=Command)
@click.argument("target", required=False, type=click.Path())
@recording_options
@click.option(
    "--against",
    metavar="OTHER",
    type=click.Path(path_type=Path),
    help="Compare cache keys with another recording or trace.",
)
def command(target: str | None, asked: Asked, against: Path | None) -> int:
    """Show compile time by stage, function and line, and which caches hit.

    TARGET is a model, a recording (a folder or .zip), a TORCH_TRACE log, or a folder of such logs;
    by default the newest recording. A model runs with empty caches, and with Inductor unless
    --backend selects another backend. To record a warm start, use `inspect run`, which keeps your
    caches.

    \b
    Examples:
      inspect cold-start samples/small_cnn/model.py
      inspect cold-start samples/small_cnn/recording.zip -o compile.perfetto.json
      inspect cold-start samples/small_cnn/model.py --against samples/small_cnn/recording.zip
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target, _KIND)
    suffix = None if asked.output is None else renderer_for_suffix(asked.output, _KIND)
    draws_spans = not {asked.format_, suffix}.isdisjoint(TIMELINES)
    keep_spans = draws_spans or suffix == "html"
    other = None if against is None else _other(against)
    # Nothing here is measured in warm calls.
    how: dict[str, Any] = {"backend": "inductor", "measure": False, "line_times": True}
    with asked.shown(target, keep_spans=keep_spans, command=_KIND, **how) as (run, code):
        if draws_spans and not any(process.lanes for process in run.processes):
            raise RecordingError(
                "Nothing was compiled, so there is no timeline to write.",
                "Record a model that compiles something, or run: inspect explain",
            )
        asked.write(_report(run, other, str(against)), _KIND)
    return code


# Warm calls have no part in a cold start, and the eager backend compiles nothing.
always_inductor(command)
option_help(
    command,
    output="Write .json, .md, .txt, or a timeline (.perfetto.json).",
    format_="Output format: terminal, json, markdown or perfetto.json.",
)


def _other(against: Path) -> Run:
    if not against.exists():
        raise UsageError(
            f"There is no recording or trace {str(against)!r}.",
            "Record one with: inspect cold-start model.py --save other.zip",
        )
    with reading(str(against), explains_recompiles=False) as run:
        return run


def _report(run: Run, other: Run | None, name: str) -> ColdStartReport:
    rules = load_rules("cold-start")
    report = make_report(run, rules)
    against = None
    if other is not None:
        time_ns = sum(process.compile_time_ns for process in other.processes)
        against = Against(name, time_ns, key_changes(run, other), *unmatched(run, other))
    return ColdStartReport(report, cold_start(run), against)
