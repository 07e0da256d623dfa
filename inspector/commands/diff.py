"""``inspect diff``: what changed between the kernels of two models, recordings or traces."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file, complete_gpu
from inspector.commands.gate import EXIT_FINDINGS
from inspector.commands.kernel_builds import compiled_if_possible
from inspector.commands.options import (
    given_options,
    output_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_output, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Settings
from inspector.commands.target import existing, is_model, refuse_options, shown_run
from inspector.errors import UsageError
from inspector.findings.diff_report import DiffReport, GraphFacts, graph_facts, make_diff_report
from inspector.findings.kernels_compiled import not_compiled
from inspector.findings.kernels_report import KernelsReport, make_kernels_report
from inspector.model.gpu_table import known_gpu
from inspector.model.request import Request


@click.command("diff")
@click.argument("before", shell_complete=complete_file)
@click.argument("after", shell_complete=complete_file)
@click.option(
    "--gpu", metavar="NAME", shell_complete=complete_gpu,
    help="Generate code of models for this GPU, which need not be here: h200, a100, sm_90.",
)  # fmt: skip
@click.option(
    "--no-grad", is_flag=True,
    help="Call models under torch.no_grad(): the kernels of inference.",
)  # fmt: skip
@click.option(
    "--fail-on", type=click.Choice(("worse", "difference")),
    help="Exit with 1 if AFTER starts or moves more, or breaks more often; or if anything differs.",
)  # fmt: skip
@click.option(
    "--fake", is_flag=True,
    help="With --gpu: give large tensors no memory and run nothing, for models of any size.",
)  # fmt: skip
@click.option(
    "--compile/--no-compile", "compiles", default=None,
    help="Compile the kernels, for registers and predicted times. Only those of models by "
    "default: a recording's kernels are source code from elsewhere.",
)  # fmt: skip
@target_options
@process_options
@output_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    before: str,
    after: str,
    gpu: str | None,
    fail_on: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    compiles: bool | None,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Show which kernels are gone, new and changed, and whether fusion got better.

    BEFORE and AFTER are models (model.py, model.py:name, package.module:name), which are recorded
    first, with the same options, or recordings (a folder or .zip), or TORCH_TRACE logs. Kernels are
    the same if their source is, without names and paths; others are matched by the operators and
    lines that they compute.

    \b
    Examples:
      inspect diff samples/small_cnn/model.py samples/resnet50/model.py --gpu h200
      inspect diff samples/small_cnn/model.py samples/resnet50/model.py --gpu h200 -o diff.md
      inspect diff samples/small_cnn/h200-inference.zip samples/resnet50/h200-graphs.zip
      inspect diff 1 2 --fail-on worse
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    check_output(output, format_)
    if save is not None:
        raise UsageError(
            "--save has no meaning for two recordings.",
            "Record each with inspect kernels --save DIR, then compare the two folders.",
        )
    given = _given(asked, gpu)
    if not any(map(is_model, (before, after))):
        refuse_options({**given, "python": python, "timeout": timeout})
    settings = Settings.of_view(
        python, timeout, None, no_progress=no_progress, output=output, format_=format_
    )
    for target in (before, after):  # before the first is recorded, which takes long
        _check(target, python)
    old, old_facts, code = _kernels(before, given, settings)
    new, new_facts, other_code = _kernels(after, given, settings)
    if compiles is None:
        compiles = is_model(before) and is_model(after)
        if not compiles:
            old, new = not_compiled(old), not_compiled(new)
    if compiles:
        old, new = (
            compiled_if_possible(side, python=python, progress=not no_progress)
            for side in (old, new)
        )
    report = make_diff_report(old, new, (old_facts, new_facts))
    write_report(report, output, format_)
    return code or other_code or _gate(report, fail_on)


def _given(asked: Mapping[str, Any], gpu: str | None) -> dict[str, Any]:
    """The options that were given for models, without those that exclude each other."""
    given = given_options(asked)
    given.pop("measure", None)  # nothing is measured, asked for or not
    if gpu is not None:
        known_gpu(gpu)
        given["gpu"] = gpu
    if "fake" in given and gpu is None:
        raise UsageError("--fake needs --gpu.", "Name one: `inspect kernels --list-gpus`.")
    for one, other in (("gpu", "device"), ("train", "no_grad")):
        if one in given and other in given:
            names = f"--{one} and --{other.replace('_', '-')}"
            raise UsageError(f"{names} exclude each other.", "Leave one of them out.")
    return given


def _check(target: str, python: str | None) -> None:
    if not is_model(target):
        existing(target)
    elif python is None:
        check_file(target)


def _kernels(
    target: str, given: Mapping[str, Any], settings: Settings
) -> tuple[KernelsReport, GraphFacts, int]:
    """The kernels and graphs of one side, and the exit code of recording it."""

    def request(model: str) -> Request:
        return Request(model, measure=False, graphs=True, **{"backend": "inductor", **given})

    with shown_run(target, request, settings) as (run, code):
        report = make_kernels_report(run)
        return report, graph_facts(run, report), code


def _gate(report: DiffReport, fail_on: str | None) -> int:
    """Fails where it was asked to, and says why where the report goes to a file."""
    fails = {"worse": report.diff.is_worse, "difference": not report.diff.is_empty}
    if fail_on is None or not fails[fail_on]:
        return 0
    sys.stderr.write(f"gate: fails on {fail_on}\n")
    return EXIT_FINDINGS
