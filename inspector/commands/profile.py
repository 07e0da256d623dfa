"""``inspect profile``: the generated kernels timed in place, against what the machine can do."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click

from inspector.commands.completion import complete_file
from inspector.commands.counters import count_kernels
from inspector.commands.kernel_choice import benched, check_kernel_options
from inspector.commands.options import (
    always_inductor,
    output_options,
    process_options,
    target_options,
)
from inspector.commands.output import check_output, check_place, write_report
from inspector.commands.precheck import check_file
from inspector.commands.profile_files import check_suffix, is_profile_file, write_profile_files
from inspector.commands.record import Settings, record
from inspector.commands.target import existing, is_model, refuse_options, say_which
from inspector.errors import UsageError
from inspector.findings.kernel_bench_report import make_kernel_bench_report
from inspector.findings.profile_report import make_profile_report
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.sources.counters import read_counters
from inspector.sources.recording import opened, read_run

__all__ = ["command"]

_UNASKED = ("train", "fullgraph", "no_grad", "fresh_ceilings", "configs")


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
    "--autotune", is_flag=True, help="Show all that autotuning tried: each candidate with its time."
)
@click.option(
    "--kernel", metavar="KERNEL",
    help="Time this kernel alone, too, with the arguments that it has in a call; a part of its "
    "name is enough.",
)  # fmt: skip
@click.option(
    "--configs", is_flag=True,
    help="With --kernel: try its other configurations, too, and check what they compute.",
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
      inspect profile model.py --train --mode reduce-overhead
      inspect profile model.py --no-grad -o profile.json
      inspect profile model.py --mode max-autotune --autotune
      inspect profile model.py --kernel triton_red_fused_sum_3 --configs
      inspect profile -o roofline.svg
      inspect profile -o call.perfetto.json
      inspect profile
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    is_file = is_profile_file(output)
    if output is not None:
        check_suffix(output)
        check_place(output)
    check_output(None if is_file else output, format_)
    unasked = {name for name in _UNASKED if not asked[name]}
    given = {k: v for k, v in asked.items() if v is not None and v != () and k not in unasked}
    parse_inputs(given.get("inputs", ()))
    check_kernel_options(given, counters=counters, is_file=is_file)
    kernel = given.get("kernel")
    with contextlib.ExitStack() as stack:  # the logs, until all that is asked for was read
        if target is not None and is_model(target):
            if python is None:
                check_file(target)
            settings = Settings(
                python=python,
                timeout_seconds=timeout,
                save=save,
                progress=not no_progress,
                own_stdout=output is not None and format_ is None,
                fresh_caches=True,
            )
            request = _request(target, given)
            recorded = record(("explain", request.to_json()), target, request.asked, settings)
            place, code = recorded.place, recorded.exit_code
            notice = count_kernels(request, settings, place) if counters and not code else ""
        else:
            asked_for = {"python": python, "timeout": timeout, "save": save}
            unread = {name: value for name, value in given.items() if name != "kernel"}
            refuse_options({**unread, **asked_for, "counters": counters or None})
            place, code, notice = existing(target), 0, ""
        recording = stack.enter_context(opened(place))
        run = read_run(recording)
        if target is None or not is_model(target):
            say_which(run, target)
        counted = read_counters(recording.folder)
        bench = benched(run, kernel) if kernel is not None else None
        report = make_profile_report(run, counted, notice, all_tuned=autotune)
    if bench is not None:
        write_report(make_kernel_bench_report(report, bench), output, format_)
        return code
    if output is not None and is_file:
        write_profile_files(report, output)
        if format_ is None:
            return code
    write_report(report, None if is_file else output, format_)
    return code


always_inductor(command)
for _option in command.params:
    if isinstance(_option, click.Option) and _option.name == "output":
        _option.help = (
            "Write to a file; the end of its name is the format: a roofline (.svg, .png, .pdf), a "
            "call for Perfetto (.perfetto.json, .trace.json), or a report (.json, .md, .txt)."
        )


def _request(target: str, given: dict[str, Any]) -> Request:
    if "train" in given and "no_grad" in given:
        raise UsageError("--train and --no-grad exclude each other.", "Leave one of them out.")
    how = {"backend": "inductor", "measure": False, "graphs": True, "profile": True}
    return Request(target, **{**how, **given})
