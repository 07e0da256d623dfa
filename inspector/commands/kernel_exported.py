"""Writes a kernel as a file that stands alone."""

from __future__ import annotations

import sys
from pathlib import Path

from inspector.commands.output import write_file
from inspector.findings.kernel_export import make_kernel_export
from inspector.findings.kernels_compiled import gpu_of
from inspector.findings.kernels_report import KernelsReport
from inspector.renderers import exported_kernel

__all__ = ["write_exported"]


def write_exported(report: KernelsReport, output: Path | None) -> None:
    """Writes the kernel that the report shows, compiled, as Python.

    Args:
        report: The report.
        output: The file, or None for standard output.

    Raises:
        UsageError: It cannot stand alone.
        RecordingError: The file cannot be written.
    """
    row = next(row for row in report.rows if row.kernel.name == report.shown)
    gpu = gpu_of(report)
    device = row.facts.build.device if row.facts else None
    capability = f"sm_{device.capability}" if device else "a GPU"
    name = f"{gpu.name}, {capability}" if gpu else capability
    export = make_kernel_export(report, row, name)
    if output is None:
        exported_kernel.render(export, sys.stdout)
        return
    write_file(output, lambda stream: exported_kernel.render(export, stream))
    number, of = len(export.compared), len(export.compared) + len(export.not_compared)
    sys.stderr.write(f"wrote {output}: {number} of {of} values that it writes are compared\n")
