"""Writes the rooflines of a report as pictures, and its timelines for Perfetto."""

from __future__ import annotations

from pathlib import Path

from inspector import plugins
from inspector.commands.kernel_choice import kernel_endings
from inspector.commands.output import write_bytes
from inspector.errors import RecordingError, UsageError
from inspector.findings.profile_report import ProfileReport
from inspector.findings.profiled import Profiled
from inspector.model.near_matches import near_matches
from inspector.profiles.drawing.roofline_plot import draw_roofline
from inspector.profiles.roofline import make_roofline
from inspector.profiles.timeline import timeline

_ROOFLINES = (".svg", ".png", ".pdf")
_TIMELINES = (".perfetto.json", ".trace.json")


def is_profile_file(output: Path | None) -> bool:
    """Whether a file is a picture or a timeline, and no report."""
    return output is not None and bool(_form(output))


def check_suffix(output: Path, *, of_kernel: bool = False) -> None:
    """Refuses a file that is neither a picture, nor a timeline, nor a report.

    Args:
        output: The file.
        of_kernel: Whether it is about one kernel, of which there are reports alone.

    Raises:
        UsageError: The end of its name says no format; all that there are are named.
    """
    if is_profile_file(output):
        return
    try:
        plugins.renderer_for_suffix(output)
    except UsageError as error:
        if of_kernel:
            raise UsageError(error.message, kernel_endings()) from error
        if not error.next_step.startswith("Choose"):  # it is near to one
            raise
        near = near_matches(output.suffix.lower(), _ROOFLINES)
        others = f"{', '.join(_ROOFLINES)} (a roofline), {', '.join(_TIMELINES)} (for Perfetto)"
        hint = f"{error.next_step.rstrip('.')}, {others}."
        hint = f"Did you mean {' or '.join(near)}? {hint}" if near else hint
        raise UsageError(error.message, hint) from error


def _form(output: Path) -> str:
    name = output.name.lower()
    return next((form for form in (*_ROOFLINES, *_TIMELINES) if name.endswith(form)), "")


def write_profile_files(report: ProfileReport, output: Path) -> None:
    """Writes one file for each input; of several, into files with their numbers.

    Raises:
        EnvironmentLacksError: A picture is asked for, and matplotlib is not installed.
        RecordingError: There is nothing to write, or the file cannot be written.
    """
    if not report.profiles:
        hint = report.notices[0] if report.notices else "record one with: inspect profile model.py"
        raise RecordingError("There is no profile to write.", hint[:1].upper() + hint[1:] + ".")
    form = _form(output)
    for found in report.profiles:
        number = f"-{found.profile.input + 1}" if len(report.profiles) > 1 else ""
        name = f"{output.name[: -len(form)]}{number}{output.name[-len(form) :]}"
        write_bytes(output.with_name(name), _content(report, found, form))


def _content(report: ProfileReport, found: Profiled, form: str) -> bytes:
    versions = report.run.processes[0].versions if report.run.processes else {}
    parts = [
        report.run.meta.target,
        str(found.profile.device.get("name") or found.profile.device.get("kind") or ""),
        f"torch {versions['torch']}" if "torch" in versions else "",
    ]
    title = " · ".join(filter(None, parts))
    if form in _TIMELINES:
        if not found.profile.worked:
            message = "The recording has no timeline of a call on a device."
            raise RecordingError(message, "Record one on a GPU: inspect profile model.py.")
        return timeline(found.profile, title)
    roofline = make_roofline(found.work, report.ceilings)
    return draw_roofline(roofline, title, form.removeprefix("."))
