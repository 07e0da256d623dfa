"""``inspect repro``: the smallest program that shows a fault of the compiler."""

import dataclasses
import shlex
import sys
from pathlib import Path

import click

from inspector.cli.grouped import Command
from inspector.cli.kernel_builds import compiled
from inspector.cli.kernels import checked_report, gpu_name, write_kernel
from inspector.cli.options import always_inductor, no_grad_option, option_help
from inspector.cli.output import check_place, write_file
from inspector.cli.record import record
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import is_model
from inspector.errors import UsageError
from inspector.features.kernels.kernel_export import make_kernel_export
from inspector.features.kernels.report import KernelRow, KernelsReport, make_kernels_report
from inspector.features.repro.report import ReproReport
from inspector.records.repro import Repro

_FILE = Path("repro.py")


@click.command("repro", cls=Command)
@click.argument("target", type=click.Path())
@no_grad_option
@click.option(
    "--kernel", metavar="KERNEL",
    help="Write one generated kernel instead, with code that launches and times it; part of its "
    "name is enough.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(1), metavar="S",
    help="Reduce the graph for about S seconds.  [default: 120]",
)  # fmt: skip
@recording_options
def command(target: str, asked: Asked) -> int:
    """Turn a compiler crash or a wrong result into one self-contained file.

    TARGET is a model (model.py, model.py:name, package.module:name). The file holds the smallest
    graph that still shows the fault. Its inputs are random tensors of the same shapes, strides and
    dtypes; none of your weights are included. A fresh process checks it. The report names the part
    of the compiler that causes the fault.

    \b
    Examples:
      inspect repro samples/small_cnn/model.py
      inspect repro samples/small_cnn/model.py --train -o bug.py
      inspect repro samples/small_cnn/model.py --kernel relu_4 -o kernel.py
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    output, given = asked.output, dict(asked.given)
    kernel = given.pop("kernel", None)
    file = output if output is not None and output.suffix == ".py" else _FILE
    asked = dataclasses.replace(asked, given=given, output=None if file is output else output)
    check_place(file)
    asked.check(target)
    if not is_model(target):  # compiling what is in a recording takes --compile
        step = "Name model.py. For a kernel, use `inspect kernels --export NAME --compile`."
        raise UsageError("A repro needs the model itself, not a recording.", step)
    if kernel is not None:
        return _kernel(target, kernel, asked, file)
    request = asked.request(target, backend="inductor", measure=False, command="repro")
    # Compiled C++ code is looked up by its text: nothing that is wrong comes out of that cache.
    settings = dataclasses.replace(asked.settings, fresh_caches=False)
    made = record(("repro", request.to_json()), target, request.asked, settings)
    found = _named(next(iter(made.run.records(Repro)), Repro()), file)
    if found.text:
        write_file(file, lambda stream: stream.writelines([found.text]))
    shown = str(file) if found.text else ""
    asked.write(ReproReport(made.run, found, shown, (f"python {file}",) if shown else ()))
    return made.exit_code


always_inductor(command)
option_help(command, output="Write the program (.py) or the report (.json, .md, .html).")


def _named(found: Repro, file: Path) -> Repro:
    """The same with the name of the file in its commands."""
    old, new = f"python {_FILE}", f"python {shlex.quote(str(file))}"
    rows = (dataclasses.replace(row, replay=row.replay.replace(old, new)) for row in found.rows)
    return dataclasses.replace(found, text=found.text.replace(old, new), rows=tuple(rows))


def _kernel(target: str, kernel: str, asked: Asked, file: Path) -> int:
    """Writes a Triton kernel with its launch, or the code of the graph that a C++ kernel is in."""
    shown = asked.shown(target, backend="inductor", measure=False, graphs=True, command="kernels")
    with shown as (run, code):
        report = checked_report(make_kernels_report(run, kernel, (), ()))
        row = next(row for row in report.rows if row.kernel.name == report.shown)
        if row.kernel.language != "triton":
            text = _graph_code(report, row)
            write_file(file, lambda stream: stream.writelines([text]))
            sys.stderr.write(f"wrote {file}; it times the graph of {row.kernel.name}\n")
            return code
        report = compiled(report, python=asked.python, progress=asked.progress, only=report.shown)
        row = next(row for row in report.rows if row.kernel.name == report.shown)
        write_kernel(make_kernel_export(report, row, gpu_name(report, row)), file)
    return code


def _graph_code(report: KernelsReport, row: KernelRow) -> str:
    """Inductor's own output code: run as a program it times its call."""
    texts = [text for process in report.run.processes for text in process.codes.texts]
    codes = (text.text.text() for text in texts if text.text is not None)
    return next(code for code in codes if row.kernel.name in code)
