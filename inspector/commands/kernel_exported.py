"""Writes a kernel as a file that stands alone."""

from __future__ import annotations

import collections
import sys
from pathlib import Path

from inspector.commands.output import write_file
from inspector.errors import UsageError
from inspector.findings.kernel_export import KernelExport, make_kernel_export
from inspector.findings.kernels_compiled import compilable, gpu_of
from inspector.findings.kernels_report import KernelRow, KernelsReport
from inspector.renderers import exported_kernel


def write_exported(report: KernelsReport, output: Path | None) -> None:
    """Writes the kernel that the report shows, compiled, as Python.

    Raises:
        UsageError: It cannot stand alone.
        RecordingError: The file cannot be written.
    """
    row = next(row for row in report.rows if row.kernel.name == report.shown)
    export = make_kernel_export(report, row, _gpu_name(report, row))
    if output is None:
        exported_kernel.render(export, sys.stdout)
    else:
        _write(export, output)


def write_all_exported(report: KernelsReport, folder: Path) -> None:
    """Writes each kernel that can stand alone into a folder, and says which cannot.

    Raises:
        UsageError: None of them can.
        RecordingError: A file cannot be written.
    """
    folder.mkdir(exist_ok=True)
    names: collections.Counter[str] = collections.Counter()
    for row in compilable(report):
        name = row.kernel.name
        try:
            export = make_kernel_export(report, row, _gpu_name(report, row))
        except UsageError as error:
            sys.stderr.write(f"{error}\n")
            continue
        names[name] += 1  # graphs can have different kernels of one name
        again = f"_{names[name]}" if names[name] > 1 else ""
        _write(export, folder / f"{name}{again}.py")
    if not names:
        message = "No kernel could be exported."
        raise UsageError(
            message,
            "What stands in the way of each is said above."
            if compilable(report)
            else "Only Triton kernels are, and there are none: record with --gpu h200.",
        )


def _gpu_name(report: KernelsReport, row: KernelRow) -> str:
    gpu = gpu_of(report)
    device = row.facts.build.device if row.facts else None
    capability = f"sm_{device.capability}" if device else "a GPU"
    return f"{gpu.name}, {capability}" if gpu else capability


def _write(export: KernelExport, output: Path) -> None:
    write_file(output, lambda stream: exported_kernel.render(export, stream))
    number, of = len(export.compared), len(export.compared) + len(export.not_compared)
    sys.stderr.write(f"wrote {output}: {number} of {of} values that it writes are compared\n")
