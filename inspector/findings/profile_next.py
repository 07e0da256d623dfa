"""What to run behind a profile."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.command_line import command_about
from inspector.findings.profile_report import ProfileReport
from inspector.profiles.roofline import make_roofline


def next_steps(report: ProfileReport) -> Iterator[str]:
    """What mends the graph breaks, if there are any; and the pictures that there are."""
    found = [item for item in report.profiles if item.work]
    if any(item.breaks for item in found):
        yield command_about(report.run, "explain")
    if found and not found[0].is_cpu:
        yield command_about(report.run, "profile", "-o", "call.perfetto.json")
    elif found and make_roofline(found[0].work, report.ceilings).points:
        yield command_about(report.run, "profile", "-o", "roofline.svg")
