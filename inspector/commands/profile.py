"""``inspect profile``: the generated kernels timed in place, against what the machine can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file
from inspector.commands.counters import count_kernels
from inspector.commands.kernel_choice import benched, check_kernel_options
from inspector.commands.options import (
    always_inductor,
    check_grad,
    given_options,
    option_help,
    output_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_output, check_place, write_report
from inspector.commands.profile_files import check_suffix, is_profile_file, write_profile_files
from inspector.commands.target import check_target, existing, is_model, named, recorded, say_which
from inspector.findings.kernel_bench_report import make_kernel_bench_report
from inspector.findings.profile_report import ProfileReport, make_profile_report
from inspector.model.request import Request
from inspector.sources.child import Settings
from inspector.sources.counters import read_counters
from inspector.sources.profile_within import opened_profile
from inspector.sources.recording import opened, read_run


@click.command("profile")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option("--no-grad", is_flag=True, help="Call the model under torch.no_grad(): inference.")
@click.option(
    "--counters", is_flag=True,
    help="Run it once more under Nsight Compute (ncu), for hardware counters of each kernel.",
)  # fmt: skip
@click.option(
    "--fresh-ceilings", is_flag=True,
    help="Measure what the machine can do again; else that is kept for 30 days.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0.1), metavar="S",
    help="About how long the calls with each input are timed; the more, the surer.  [default: 12]",
)  # fmt: skip
@click.option(
    "--autotune", is_flag=True, help="Show all that autotuning tried: each candidate with its time."
)
@click.option(
    "--kernel", metavar="KERNEL",
    help="Time this kernel alone, too, with the arguments that it has in a call; a part of its "
    "name is enough. It has a report of its own (-o with .json, .md or .txt).",
)  # fmt: skip
@click.option(
    "--launch", type=click.IntRange(1), metavar="N",
    help="With --kernel: take the arguments of its Nth launch in a call.  [default: those that "
    "the most time goes to]",
)  # fmt: skip
@target_options
@process_options
@output_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    counters: bool,
    autotune: bool,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - the options of a Request, typed there
) -> int:
    """Time the generated kernels in place, against what the machine can do.

    TARGET is a model (model.py, model.py:name, package.module:name), which is recorded first, or a
    recording (a folder or .zip). Without a TARGET the newest recording is read. On a GPU every
    kernel, copy and library's call is timed where it stands in the model's own calls; without one,
    every C++ kernel and operator. Each leads to the line of the model that it computes.

    \b
    Examples:
      inspect profile samples/small_cnn/model.py
      inspect profile samples/training_step/model.py --train --mode reduce-overhead
      inspect profile samples/small_cnn/model.py --no-grad -o profile.json
      inspect profile samples/small_cnn/model.py --mode max-autotune --autotune
      inspect profile samples/transformer_block/model.py --kernel native_layer_norm_0
      inspect profile -o roofline.svg
      inspect profile -o call.perfetto.json
      inspect profile
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    file = _profile_file(output, of_kernel="kernel" in given_options(asked))
    report_file = output if file is None else None
    check_output(report_file, format_)
    given = given_options(asked)
    check_kernel_options(given, counters=counters, is_file=file is not None)
    about_recording = {name: value for name, value in given.items() if name != "kernel"}
    about_recording |= {"python": python, "timeout": timeout, "save": save}
    check_target(target, python, {**about_recording, "counters": counters or None})
    settings = Settings.of_view(
        python, timeout, save, no_progress=no_progress, output=output, format_=format_
    )
    made = _made(target, given, settings, counters=counters)
    # The logs, until all that is asked for was read.
    with opened(made.place) as whole, opened_profile(whole) as recording:
        run = dataclasses.replace(read_run(recording), place=made.named)
        if not made.is_new:
            say_which(run, target)
        counted = read_counters(recording.folder)
        kernel = given.get("kernel")
        report = make_profile_report(run, counted, made.notice, all_tuned=autotune)
        bench = benched(run, kernel, _names(report)) if kernel is not None else None
    if bench is not None:
        write_report(make_kernel_bench_report(report, bench), output, format_)
        return made.code
    if file is not None:
        write_profile_files(report, file)
        if format_ is None:
            return made.code
    write_report(report, report_file, format_)
    return made.code


always_inductor(command)
option_help(
    command,
    output="Write to a file; the end of its name is the format: a roofline (.svg, .png, .pdf), a "
    "call for Perfetto (.perfetto.json, .trace.json), or a report (.json, .md, .txt); with "
    "--kernel a report alone.",
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Made:
    """The recording that is shown.

    Attributes:
        place: Where it is.
        named: What commands about it name, as in `inspector.model.run.Run.place`.
        is_new: Whether it was recorded now.
        code: The exit code of recording it.
        notice: Why there are no hardware counters, where they were asked for, or an empty string.
    """

    place: Path
    named: str
    is_new: bool = False
    code: int = 0
    notice: str = ""


def _made(
    target: str | None, given: Mapping[str, Any], settings: Settings, *, counters: bool
) -> _Made:
    """Records a model, and with ``counters`` runs it once more under Nsight Compute."""
    if target is None or not is_model(target):
        return _Made(existing(target), named(target))
    request = _request(target, given)
    made = recorded(request, settings)
    code = made.exit_code
    notice = count_kernels(request, settings, made.place) if counters and not code else ""
    return _Made(made.place, made.run.place, is_new=True, code=code, notice=notice)


def _names(report: ProfileReport) -> tuple[str, ...]:
    """The kernels that were timed in place, and the functions of libraries."""
    works = (work for found in report.profiles for work in found.work)
    return tuple(dict.fromkeys(work.name for work in works if work.is_launch))


def _profile_file(output: Path | None, *, of_kernel: bool) -> Path | None:
    """The file for a picture or a timeline; None where reports alone are asked for."""
    if output is None:
        return None
    check_suffix(output, of_kernel=of_kernel)
    check_place(output)
    return output if is_profile_file(output) else None


def _request(target: str, given: Mapping[str, Any]) -> Request:
    check_grad(given)
    how = {"backend": "inductor", "measure": False, "graphs": True, "profile": True}
    return Request(target, **{**how, **given})
