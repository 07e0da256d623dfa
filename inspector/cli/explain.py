"""``inspect explain``: every graph break with its line, its cause and its fix."""

import dataclasses
import tempfile
from pathlib import Path

import click

from inspector import plugins
from inspector.cli.follow import followed
from inspector.cli.gate import EXIT_FINDINGS, asked_gate, gate_options, print_verdict, with_gate
from inspector.cli.grouped import Command
from inspector.cli.job import check_single_rank
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import is_model, reading, recorded
from inspector.cli.verify import recorder, verification_of, verify_option
from inspector.features.overview.run_summary import next_steps
from inspector.features.verify.trials import with_verification
from inspector.report.report import Report, make_report
from inspector.run.run import Run
from inspector.run.sources.child import Settings
from inspector.shared.request import Request


@click.command("explain", cls=Command)
@click.argument("target", required=False, type=click.Path())
@recording_options
@verify_option
@gate_options
@click.option(
    "--follow",
    is_flag=True,
    help="Show the findings of a log folder while a job writes to it, until Ctrl-C.",
)
def command(  # noqa: PLR0913 - one parameter per option
    target: str | None,
    asked: Asked,
    fail_on: tuple[str, ...],
    baseline: Path | None,
    *,
    verify: bool,
    follow: bool,
) -> int:
    """Show every graph break: its line, its cause and its fix.

    TARGET is a model (model.py, model.py:name, package.module:name), a recording, a TORCH_TRACE log
    or a folder of logs; by default the newest recording.

    \b
    Examples:
      inspect explain samples/graph_breaks/model.py
      inspect explain samples/small_cnn/model.py:SmallCNN --input 'f32[8,3,224,224]' --train
      inspect explain samples/graph_breaks/model.py -o report.json
      inspect explain samples/graph_breaks/model.py --fail-on graph-break --baseline report.json
      TORCH_TRACE=logs python train.py & inspect explain logs --follow
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    gate = asked_gate(fail_on, baseline, asked.output)
    asked.check(target, verify=verify or None)
    if follow:
        report, code = followed(target, _report), 0
    elif is_model(target):
        if verify:
            check_single_rank("inspect explain --verify")
        request = asked.request(target)
        report, code = _explained(request, asked.settings, verified=verify)
    else:
        # How the program ended back then is in the report; reading it has succeeded.
        with reading(target) as run:
            report, code = _report(run), 0
    report = with_gate(report, gate)
    asked.write(report)
    if asked.output or asked.format_:  # else the verdict is at the end of the page
        print_verdict(report)
    return code or (EXIT_FINDINGS if report.gate and not report.gate.passed else 0)


def _explained(request: Request, settings: Settings, *, verified: bool) -> tuple[Report, int]:
    """The report of a model that is recorded now, and the exit code before any findings."""
    if not verified:
        made = recorded(request, settings)
        return _report(made.run), made.exit_code
    with tempfile.TemporaryDirectory(prefix="inspector-outputs-") as outputs:
        request = dataclasses.replace(request, keep_outputs=outputs)
        made = recorded(request, settings)
        report = _report(made.run)
        verification, stopped = verification_of(report, request, recorder(settings, made.ending))
    return with_verification(report, verification), made.exit_code or stopped


def _report(run: Run) -> Report:
    rules = plugins.load_rules("run")
    return make_report(run, rules, next_steps(run))
