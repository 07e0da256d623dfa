"""Writes the rooflines of a report as pictures."""

from __future__ import annotations

from pathlib import Path

from inspector.commands.output import write_bytes
from inspector.errors import RecordingError
from inspector.findings.profile_report import ProfileReport
from inspector.profiles.drawing.roofline_plot import draw_roofline
from inspector.profiles.roofline import make_roofline

__all__ = ["ROOFLINES", "write_rooflines"]

ROOFLINES = (".svg", ".png", ".pdf")
"""The ends of a picture's name."""


def write_rooflines(report: ProfileReport, output: Path) -> None:
    """Writes one picture for each input; of several, into files with their numbers.

    Raises:
        EnvironmentLacksError: matplotlib is not installed.
        RecordingError: There is nothing to draw, or the file cannot be written.
    """
    if not report.profiles:
        hint = report.notices[0] if report.notices else "record one with: inspect profile model.py"
        raise RecordingError("There is no profile to draw.", hint[:1].upper() + hint[1:] + ".")
    versions = report.run.processes[0].versions if report.run.processes else {}
    for found in report.profiles:
        roofline = make_roofline(found.work, report.ceilings)
        parts = [report.run.meta.target, roofline.device, f"torch {versions.get('torch', '')}"]
        title = " · ".join(part for part in parts if part.strip())
        content = draw_roofline(roofline, title, output.suffix.lower().removeprefix("."))
        number = f"-{found.profile.input + 1}" if len(report.profiles) > 1 else ""
        write_bytes(output.with_name(f"{output.stem}{number}{output.suffix}"), content)
