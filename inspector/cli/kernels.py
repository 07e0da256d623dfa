"""``inspect kernels``: the generated kernels, also for a GPU that is not here."""

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from inspector.cli.grouped import Command
from inspector.cli.kernel_builds import TEXTS, compiled, compiled_if_possible, text_of
from inspector.cli.kernel_choice import which_kernel
from inspector.cli.options import always_inductor, compile_option, gpu_options
from inspector.cli.output import check_place, write_file
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import is_model
from inspector.errors import UsageError
from inspector.features.kernels import exported as exported_kernel
from inspector.features.kernels.kernel_export import KernelExport, make_kernel_export
from inspector.features.kernels.kernels_compiled import gpu_of, not_compiled
from inspector.features.kernels.report import KernelRow, KernelsReport, make_kernels_report
from inspector.plugins import load_rules
from inspector.shared.gpu_table import ARCHITECTURE_KEYS, GPUS, known_gpu
from inspector.shared.near_matches import named

_FORMS = ("source", *TEXTS)


@click.command("kernels", cls=Command)
@click.argument("target", required=False, type=click.Path())
@gpu_options
@click.option("--list-gpus", is_flag=True, help="List known GPUs and their specifications.")
@click.option("--show", metavar="KERNEL", help="Show one kernel; part of its name is enough.")
@click.option(
    "--as", "form", type=click.Choice(_FORMS), metavar="FORM", default="source",
    help="With --show: print ttir, ttgir, llir, ptx or sass.",
)  # fmt: skip
@click.option(
    "--export", metavar="KERNEL",
    help="Write a kernel to a self-checking Python file; part of its name is enough.",
)  # fmt: skip
@compile_option
@recording_options
def command(  # noqa: PLR0913 - one parameter per option
    target: str | None,
    asked: Asked,
    show: str | None,
    form: str,
    export: str | None,
    *,
    list_gpus: bool,
    compiles: bool | None,
) -> int:
    """Show the kernels that Inductor generates, even for a GPU that this machine lacks.

    TARGET is a model (model.py, model.py:name, package.module:name), a recording, a TORCH_TRACE log
    or a folder of logs; by default the newest recording. With --gpu, torch.compile
    generates code for that GPU, and the CPU runs the model.

    \b
    Examples:
      inspect kernels samples/small_cnn/model.py --gpu h200
      inspect kernels samples/training_step/model.py --gpu sm_90 --train -o kernels.json
      inspect kernels samples/bert_base/model.py --gpu h200 --no-grad --fake
      inspect kernels samples/transformer_block/model.py --gpu h200 --no-grad
      inspect kernels --show native_layer_norm_0
      inspect kernels --show native_layer_norm_0 --as sass --compile
      inspect kernels --export native_layer_norm_0 -o kernel.py --compile
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    if list_gpus:
        sys.stdout.writelines(_gpu_lines())
        return 0
    output = asked.output
    shown = asked.shown(target, backend="inductor", measure=False, graphs=True, command="kernels")
    if export is not None:
        _check_export(show, form, asked)
        asked = dataclasses.replace(asked, output=None)
    is_wanted = compiles if compiles is not None else is_model(target)
    if not is_wanted and (export is not None or form != "source"):
        raise _not_compiled(
            "--export" if export is not None else f"--as {form}", refused=compiles is False
        )
    show = export or show
    asked.check(target)
    with shown as (run, code):
        rules = load_rules("cpp"), load_rules("code")
        report = checked_report(make_kernels_report(run, show or "", *rules))
        if export is not None or form != "source":
            report = compiled(
                report, python=asked.python, progress=asked.progress, only=report.shown
            )
            _write_compiled(report, export, form, output)
            return code
    if is_wanted and not report.shown:
        report = compiled_if_possible(report, python=asked.python, progress=asked.progress)
    elif compiles is None:
        report = not_compiled(report)
    asked.write(report)
    return code


# Nothing is measured: the program runs to be compiled.
always_inductor(command)


def _check_export(show: str | None, form: str, asked: Asked) -> None:
    output = asked.output
    if show is not None or form != "source" or asked.format_ is not None:
        message = "--export cannot be combined with --show, --as or --format."
        raise UsageError(message, "Drop them.")
    if output is None:
        return
    if output.suffix != ".py":
        message = f"--export writes Python, but {output.name} does not end in .py."
        raise UsageError(message, f"Name it {output.with_suffix('.py').name}.")
    check_place(output)


def _not_compiled(option: str, *, refused: bool) -> UsageError:
    if refused:
        message = f"{option} cannot be combined with --no-compile."
        return UsageError(message, "Use one of them.")
    message = f"{option} compiles kernel source from a recording."
    return UsageError(message, "Add --compile if you trust it.")


def _write_compiled(
    report: KernelsReport, export: str | None, form: str, output: Path | None
) -> None:
    """Writes a kernel as a file that stands alone, or the text of one."""
    if not report.shown:
        raise UsageError(f"--as {form} needs a kernel.", "Name one with --show KERNEL.")
    row = next(row for row in report.rows if row.kernel.name == report.shown)
    if export is None:
        sys.stdout.write(text_of(row, form).rstrip("\n") + "\n")
        return
    exported = make_kernel_export(report, row, gpu_name(report, row))
    if output is None:
        exported_kernel.render(exported, sys.stdout)
    else:
        write_kernel(exported, output)


def gpu_name(report: KernelsReport, row: KernelRow) -> str:
    """``NVIDIA H200, sm_90``: what a kernel is compiled for."""
    gpu = gpu_of(report)
    number = row.facts.build.capability if row.facts else None
    capability = f"sm_{number}" if number else "a GPU"
    return f"{gpu.name}, {capability}" if gpu else capability


def write_kernel(export: KernelExport, output: Path) -> None:
    """Writes one as a file, and says how much of it that checks."""
    write_file(output, lambda stream: exported_kernel.render(export, stream))
    number, of = len(export.compared), len(export.compared) + len(export.not_compared)
    sys.stderr.write(f"wrote {output}; it checks {number} of {of} outputs\n")


def checked_report(report: KernelsReport) -> KernelsReport:
    """The report, unless a kernel is asked for that is not there."""
    names = list(dict.fromkeys(row.kernel.name for row in report.rows))
    if not report.shown or report.shown in names:
        return report
    found = named(report.shown, names)
    if len(found) == 1:
        return dataclasses.replace(report, shown=found[0])
    raise which_kernel(report.shown, found, names)


def _gpu_lines() -> Iterator[str]:
    """The lines of the table, with their ends."""
    titles = f"{'arch':<8}{'SMs':>4}{'GiB':>5}{'TB/s':>6}{'L2 MiB':>8}{'bf16 TF/s':>11}"
    yield f"{'--gpu':<11}{titles}  name\n"
    for gpu in GPUS.values():
        half = gpu.peaks.get("bfloat16")
        peak = "-" if half is None else f"{half / 1e12:.0f}"
        yield (
            f"{gpu.key:<11}{f'sm_{gpu.arch}':<8}{gpu.multiprocessors:>4}"
            f"{gpu.memory_bytes / 2**30:>5.0f}{gpu.bandwidth / 1e12:>6.2f}"
            f"{gpu.l2_bytes / 2**20:>8.0f}{peak:>11}  {gpu.name}\n"
        )
    yield "\nArchitectures, each with the specifications of one representative GPU:\n"
    yield from (f"{key:<11}as {known_gpu(key).name}\n" for key in ARCHITECTURE_KEYS)
    yield "\nPeaks are dense (no sparsity). Sources:\n"
    yield from (f"{gpu.key}: {'; '.join(gpu.sources)}\n" for gpu in GPUS.values())
