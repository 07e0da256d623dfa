"""``inspect diff``: what a change did: two models, recordings, traces or revisions."""

import contextlib
import sys
from pathlib import Path
from typing import Any

import click

from inspector.cli.gate import EXIT_FINDINGS
from inspector.cli.grouped import Command
from inspector.cli.kernel_builds import compiled_if_possible
from inspector.cli.options import check_request, compile_option, gpu_options
from inspector.cli.output import check_output
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.revisions import checkouts_of, two_targets
from inspector.cli.target import check_file, existing, is_model, refuse_options
from inspector.errors import UsageError
from inspector.features.bench.rows import BenchRow, make_rows
from inspector.features.diff.report import SideFacts, make_diff_report, side_facts
from inspector.features.kernels.kernels_compiled import not_compiled
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.plugins import load_rules
from inspector.run.run import Run
from inspector.run.sources.child import Checkout
from inspector.run.sources.recording import opened
from inspector.shared.bench import BenchPlan


@click.command("diff", cls=Command)
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path(), required=False)
@gpu_options
@click.option(
    "--rev",
    metavar="REV",
    help="Compare a model at a git revision with the working tree, or two revisions: main, A..B.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("worse", "difference")),
    metavar="WHAT",
    help="Exit with 1 on: worse, difference. AFTER is worse if it launches more kernels, moves "
    "more bytes, or has more graph breaks.",
)
@compile_option
@recording_options
def command(  # noqa: PLR0913 - one parameter per option
    before: str,
    after: str | None,
    asked: Asked,
    rev: str | None,
    fail_on: str | None,
    *,
    compiles: bool | None,
) -> int:
    """Show what a change did: graph breaks, recompilations, graphs, guards, kernels, times.

    BEFORE and AFTER are models (model.py, model.py:name, package.module:name), recordings (a
    folder or .zip), or TORCH_TRACE logs. Models are recorded first, with the same options. With
    --rev there is one model; each side runs with the files of its revision.
    Operators and kernels are matched by what they compute, functions by their names.

    \b
    Examples:
      inspect diff samples/small_cnn/model.py --rev HEAD
      inspect diff samples/small_cnn/model.py samples/resnet50/model.py --gpu h200
      inspect diff samples/small_cnn/model.py samples/resnet50/model.py --gpu h200 -o diff.md
      inspect diff samples/small_cnn/h200-inference.zip samples/resnet50/h200-graphs.zip
      inspect diff 1 2 --fail-on worse
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_output(asked.output, asked.format_)
    if asked.process["save"] is not None:
        raise UsageError(
            "--save does not apply to two recordings.",
            "Record each with inspect kernels --save DIR, then compare the folders.",
        )
    check_request(asked.given)
    targets = two_targets(before, after, rev)
    if not any(map(is_model, targets)):
        refuse_options({**asked.given, **asked.process})
    for target in targets:  # before the first is recorded, which takes long
        if not is_model(target):
            existing(target)
        elif rev is None:
            check_file(target, asked.python)
    if compiles is None:
        compiles = all(map(is_model, targets))
    with contextlib.ExitStack() as stack:
        checkouts = checkouts_of(targets[0], rev, asked.python, stack)
        sides = [
            _side(target, asked, checkout, stack)
            for target, checkout in zip(targets, checkouts, strict=True)
        ]
        kernels = [
            compiled_if_possible(side, python=asked.python, progress=asked.progress)
            if compiles else not_compiled(side)
            for side, *_ in sides
        ]  # fmt: skip
        report = make_diff_report(kernels[0], kernels[1], (sides[0][1], sides[1][1]))
        asked.write(report)
    code = sides[0][2] or sides[1][2]
    fails = {"worse": report.is_worse, "difference": not report.is_empty}
    if fail_on is None or not fails[fail_on]:
        return code
    sys.stderr.write(f"gate: failed (--fail-on {fail_on})\n")
    return code or EXIT_FINDINGS


def _side(
    target: str, asked: Asked, checkout: Checkout | None, stack: contextlib.ExitStack
) -> tuple[KernelsReport, SideFacts, int]:
    """The kernels and graphs of one side, and the exit code of recording it."""
    how: dict[str, Any] = {"graphs": True, "backend": "inductor", "measure": False}
    shown = asked.shown(target, is_whole=True, checkout=checkout, **how)
    run, code = stack.enter_context(shown)
    report = make_kernels_report(run)
    rows = () if is_model(target) else _bench_rows(existing(target), run)
    return report, side_facts(run, report, load_rules("run"), rows), code


def _bench_rows(place: Path, run: Run) -> tuple[BenchRow, ...]:
    """What a recording of `inspect bench` measured."""
    with opened(place) as found:
        if not (found.folder / BenchPlan.FILE).is_file():
            return ()
        return make_rows(BenchPlan.read(found.folder), run)
