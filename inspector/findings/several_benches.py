"""What reports on several models have in common: where they were measured, and what to know."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.findings.bench_report import BenchReport
from inspector.findings.wording import count

__all__ = ["device_of", "machine_line", "notices_of", "versions_of"]


def device_of(reports: Sequence[BenchReport]) -> str:
    """The device's name, or an empty string."""
    return next((report.device for report in reports if report.device), "")


def versions_of(reports: Sequence[BenchReport]) -> dict[str, str]:
    """Versions by package name."""
    return dict(next((p.versions for report in reports for p in report.run.processes), {}))


def notices_of(reports: Sequence[BenchReport]) -> tuple[str, ...]:
    """What has to be known of the measurements, each sentence once."""
    return tuple(dict.fromkeys(notice for report in reports for notice in report.notices))


def machine_line(what: str, versions: dict[str, str], device: str, sessions: int) -> str:
    """``25 models · torch 2.13.0 · cpu · 1 session``; what is not known is left out."""
    parts = (
        what,
        f"torch {versions['torch']}" if "torch" in versions else "",
        device,
        count(sessions, "session") if sessions else "",
    )
    return " · ".join(filter(None, parts))
