"""``inspect profile``: the generated kernels timed in place, against what the machine can do."""

import dataclasses
from pathlib import Path

import click

from inspector import plugins
from inspector.cli.counters import count_kernels
from inspector.cli.grouped import Command
from inspector.cli.kernel_choice import benched, check_kernel_options
from inspector.cli.options import always_inductor, no_grad_option, option_help
from inspector.cli.output import check_place, write_bytes
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import existing, is_model, named, print_place, recorded
from inspector.errors import RecordingError
from inspector.features.profile.kernel_bench.report import make_kernel_bench_report
from inspector.features.profile.nsight_compute import read_counters
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.report import ProfileReport, make_profile_report
from inspector.features.profile.timeline import timeline
from inspector.run.sources.recording import opened, read_run

_TIMELINES = (".perfetto.json", ".trace.json")


@click.command("profile", cls=Command)
@click.argument("target", required=False, type=click.Path())
@no_grad_option
@click.option(
    "--counters", is_flag=True,
    help="Read hardware counters in a second run, under Nsight Compute.",
)  # fmt: skip
@click.option(
    "--fresh-ceilings", is_flag=True,
    help="Measure peak rates again; they are cached for 30 days.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0.1), metavar="S",
    help="Time each input for about S seconds.  [default: 12]",
)  # fmt: skip
@click.option("--autotune", is_flag=True, help="Show the time of every autotuning candidate.")
@click.option(
    "--kernel", metavar="KERNEL",
    help="Also time one kernel in isolation; part of its name is enough. Writes a separate report.",
)  # fmt: skip
@recording_options
def command(target: str | None, asked: Asked, *, autotune: bool) -> int:
    """Time kernels inside the model's calls, and compare them with peak FLOP/s and bandwidth.

    TARGET is a model (model.py, model.py:name, package.module:name) or a recording; by default the
    newest recording. On a GPU every
    kernel, copy and library call is timed inside the model's own calls; on the CPU, every C++
    kernel and operator. Each is linked to its line of the model.

    \b
    Examples:
      inspect profile samples/small_cnn/model.py
      inspect profile samples/training_step/model.py --train --mode reduce-overhead
      inspect profile samples/small_cnn/model.py --no-grad -o profile.json
      inspect profile samples/small_cnn/model.py --mode max-autotune --autotune
      inspect profile samples/transformer_block/model.py --kernel native_layer_norm_0
      inspect profile -o call.perfetto.json
      inspect profile
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    given = dict(asked.given)
    counters = given.pop("counters", False)  # by another run
    kernel = given.pop("kernel", None)  # also out of a recording
    file = _profile_file(asked.output, of_kernel=kernel is not None)
    shown = dataclasses.replace(asked, given=given, output=None if file else asked.output)
    check_kernel_options(asked.given, is_file=file is not None)
    shown.check(target, counters=counters or None)
    place, name, code, notice = _made(target, asked)
    # The logs, until all that is asked for was read.
    with opened(place) as recording:
        run = dataclasses.replace(read_run(recording), place=name)
        if not is_model(target):
            print_place(run, target)
        counted = read_counters(recording.folder)
        report = make_profile_report(run, counted, notice, all_tuned=autotune)
        # The kernels that were timed in place, and the functions of libraries.
        works = (work for found in report.profiles for work in found.work)
        timed = [*dict.fromkeys(work.name for work in works if work.is_launch)]
        bench = benched(run, kernel, timed) if kernel is not None else None
    if bench is not None:
        shown.write(make_kernel_bench_report(report, bench))
        return code
    if file is not None:
        _write_files(report, file)
        if asked.format_ is None:
            return code
    shown.write(report)
    return code


always_inductor(command)
option_help(command, output="Write .json, .md, .html or .perfetto.json.")


def _made(target: str | None, asked: Asked) -> tuple[Path, str, int, str]:
    """The recording, how commands name it, the exit code, and why there are no counters.

    A model is recorded, and run again under Nsight Compute with --counters.
    """
    if not is_model(target):
        return existing(target), named(target), 0, ""
    request = asked.request(target, backend="inductor", measure=False, graphs=True, profile=True)
    request = dataclasses.replace(request, counters=False)
    made = recorded(request, asked.settings)
    code, notice = made.exit_code, ""
    if "counters" in asked.given and not code:
        notice = count_kernels(request, asked.settings, made.place)
    return made.place, made.run.place, code, notice


def _profile_file(output: Path | None, *, of_kernel: bool) -> Path | None:
    """The file for a timeline; None where reports alone are asked for."""
    if output is None:
        return None
    check_place(output)
    if _form(output):
        return output
    plugins.renderer_for_suffix(output, others=() if of_kernel else _TIMELINES)
    return None


def _form(output: Path) -> str:
    name = output.name.lower()
    return next((form for form in _TIMELINES if name.endswith(form)), "")


def _write_files(report: ProfileReport, output: Path) -> None:
    """Writes one file for each input; of several, into files with their numbers."""
    if not report.profiles:
        hint = report.notices[0] if report.notices else "record one with: inspect profile model.py"
        raise RecordingError("There is no profile to write.", hint[:1].upper() + hint[1:] + ".")
    form = _form(output)
    for found in report.profiles:
        number = f"-{found.profile.input + 1}" if len(report.profiles) > 1 else ""
        name = f"{output.name[: -len(form)]}{number}{output.name[-len(form) :]}"
        write_bytes(output.with_name(name), _content(report, found))


def _content(report: ProfileReport, found: Profiled) -> bytes:
    if not found.profile.worked:
        message = "The recording has no GPU timeline."
        raise RecordingError(message, "Record one on a GPU: inspect profile model.py.")
    return timeline(found.profile, report.run.meta.target)
