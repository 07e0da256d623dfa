"""``inspect numerics``: where numbers leave those of eager PyTorch, or of another revision."""

import contextlib
import dataclasses
import tempfile
from pathlib import Path

import click

from inspector.cli.gate import EXIT_FINDINGS
from inspector.cli.grouped import Command
from inspector.cli.options import always_inductor, no_grad_option
from inspector.cli.record import Recorded, record
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.revisions import checkouts_of, two_targets
from inspector.cli.target import is_model, reading
from inspector.errors import ModelFailedError, UsageError
from inspector.features.numerics.report import BEFORE, make_numerics_report
from inspector.run.sources.child import Checkout

_OF_THE_COMPILER = ("backend", "mode", "dynamic", "fullgraph")


@click.command("numerics", cls=Command)
@click.argument("target", required=False, type=click.Path())
@click.argument("after", required=False, type=click.Path())
@click.option(
    "--rev", metavar="REV",
    help="Compare a git revision with the working tree, or two revisions: main, A..B.",
)  # fmt: skip
@no_grad_option
@recording_options
def command(target: str | None, after: str | None, asked: Asked, rev: str | None) -> int:
    """Show where results of compiled code, or of a changed model, diverge.

    TARGET is a model (model.py, model.py:name, package.module:name), or a recording of this
    command; by default the newest recording. Results are compared with eager PyTorch's and with
    float64. Differences beyond rounding are traced to the first differing operator and to the
    modules.

    With AFTER or --rev, two revisions of a model run in eager PyTorch with the same weights, inputs
    and random numbers. The first operator that differs is shown. Exits with 1 if results differ.

    \b
    Examples:
      inspect numerics samples/small_cnn/model.py
      inspect numerics samples/small_cnn/model.py --train --dtype bf16
      inspect numerics samples/small_cnn/model.py --rev HEAD
      inspect numerics samples/small_cnn/model.py samples/resnet50/model.py -o numerics.html
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target)
    if target is not None and (after is not None or rev is not None):
        made = _revisions(two_targets(target, after, rev), rev, asked)
    elif not is_model(target):
        with reading(target) as run:
            report = make_numerics_report(run)
            asked.write(report)
        return EXIT_FINDINGS if report.differs else 0
    else:
        made = _recorded(target, asked, backend="inductor")
    report = make_numerics_report(made.run)
    asked.write(report)
    return made.exit_code or (EXIT_FINDINGS if report.differs else 0)


always_inductor(command)


def _revisions(targets: tuple[str, str], rev: str | None, asked: Asked) -> Recorded:
    """Records the earlier revision for its results, and the later one that compares them."""
    for name in _OF_THE_COMPILER:
        if name in asked.given:
            message = f"--{name} does not apply to two revisions, which run in eager PyTorch."
            raise UsageError(message, "Drop it, or compare one model with its compiled code.")
    for target in targets:
        if not is_model(target):
            raise UsageError(f"{target} is not a model.", "Name two models: old.py new.py.")
        asked.check(target)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="inspector-"))
        first, second = checkouts_of(targets[0], rev, asked.python, stack)
        process = {**asked.process, "save": Path(folder, "recording")}
        keeping = dataclasses.replace(asked, process=process)
        kept = _recorded(targets[0], keeping, first, keep_outputs=folder)
        if kept.exit_code:
            raise ModelFailedError(f"{targets[0]} did not finish: {kept.run.meta.partial}.")
        before = first.revision if first is not None else targets[0]
        return _recorded(targets[1], asked, second, before=before, compare_outputs=folder)


def _recorded(
    target: str, asked: Asked, checkout: Checkout | None = None, *, before: str = "", **usual: str
) -> Recorded:
    request = asked.request(target, measure=False, command="numerics", **usual)
    settings = dataclasses.replace(asked.settings, fresh_caches=False, checkout=checkout)
    said = {BEFORE: before, "revision": checkout.revision if checkout is not None else ""}
    described = request.asked | {name: text for name, text in said.items() if text}
    verb = "numerics" if request.backend == "inductor" else "revision"
    return record((verb, request.to_json()), target, described, settings)
