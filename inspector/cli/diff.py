"""``inspect diff``: what changed between the kernels of two models, recordings or traces."""

import sys
from typing import Any

import click

from inspector.cli.gate import EXIT_FINDINGS
from inspector.cli.grouped import Command
from inspector.cli.kernel_builds import compiled_if_possible
from inspector.cli.options import check_request, gpu_options
from inspector.cli.output import check_output
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import check_file, existing, is_model, refuse_options
from inspector.errors import UsageError
from inspector.features.diff.report import SideFacts, make_diff_report, side_facts
from inspector.features.kernels.kernels_compiled import not_compiled
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.plugins import load_rules


@click.command("diff", cls=Command)
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@gpu_options
@click.option(
    "--fail-on", type=click.Choice(("worse", "difference")), metavar="WHAT",
    help="Exit with 1 on: worse, difference. AFTER is worse if it launches more kernels, moves "
    "more bytes, or has more graph breaks.",
)  # fmt: skip
@click.option(
    "--compile/--no-compile", "compiles", default=None,
    help="Compile the kernels to show registers and predicted times. Kernels from a recording are "
    "untrusted code and need --compile.",
)  # fmt: skip
@recording_options
def command(
    before: str, after: str, asked: Asked, fail_on: str | None, *, compiles: bool | None
) -> int:
    """Show which kernels were added, removed or changed, and whether fusion improved.

    BEFORE and AFTER are models (model.py, model.py:name, package.module:name), recordings (a
    folder or .zip), or TORCH_TRACE logs. Models are recorded first, with the same options.
    Kernels are equal if their source code is identical, ignoring names and paths. Other kernels
    are matched by their operators and model lines.

    \b
    Examples:
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
    if not any(map(is_model, (before, after))):
        refuse_options({**asked.given, **asked.process})
    for target in (before, after):  # before the first is recorded, which takes long
        if not is_model(target):
            existing(target)
        elif asked.python is None:
            check_file(target)
    old, old_facts, code = _kernels(before, asked)
    new, new_facts, other_code = _kernels(after, asked)
    if compiles is None:
        compiles = is_model(before) and is_model(after)
        if not compiles:
            old, new = not_compiled(old), not_compiled(new)
    if compiles:
        old, new = (
            compiled_if_possible(side, python=asked.python, progress=asked.progress)
            for side in (old, new)
        )
    report = make_diff_report(old, new, (old_facts, new_facts))
    asked.write(report)
    fails = {"worse": report.diff.is_worse, "difference": not report.diff.is_empty}
    if fail_on is None or not fails[fail_on]:
        return code or other_code
    sys.stderr.write(f"gate: fails on {fail_on}\n")
    return code or other_code or EXIT_FINDINGS


def _kernels(target: str, asked: Asked) -> tuple[KernelsReport, SideFacts, int]:
    """The kernels and graphs of one side, and the exit code of recording it."""
    how: dict[str, Any] = {"graphs": True, "backend": "inductor", "measure": False}
    with asked.shown(target, is_whole=True, **how) as (run, code):
        report = make_kernels_report(run)
        return report, side_facts(run, report, load_rules("run")), code
