"""What reports on several models have in common: where they were measured, and what to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.findings.bench_report import BenchReport
from inspector.findings.wording import count, listed

_MOST_NAMED = 3


def device_of(reports: Sequence[BenchReport]) -> str:
    """The device's name, or an empty string."""
    return next((report.device for report in reports if report.device), "")


def versions_of(reports: Sequence[BenchReport]) -> dict[str, str]:
    """Versions by package name."""
    return dict(next((p.versions for report in reports for p in report.run.processes), {}))


def notices_of(
    reports: Sequence[BenchReport], earlier: Sequence[BenchReport] = ()
) -> tuple[str, ...]:
    """What has to be known of the measurements, each sentence once.

    Args:
        reports: The measurements.
        earlier: Those of them that an earlier run has made.
    """
    found = list(_notices_of_each(reports))
    if earlier:
        were = f"{count(len(earlier), 'model')} {'was' if len(earlier) == 1 else 'were'}"
        since = min(report.run.meta.started for report in earlier)[:16].replace("T", " ")
        found.append(f"{were} measured by an earlier run (since {since} UTC), and not again")
    several = {
        "devices": _once(report.device for report in reports),
        "processors": _once(report.processor for report in reports),
        "versions of torch": _once(report.torch for report in reports),
    }
    for what, each in several.items():
        if len(each) > 1:
            found.append(f"they were measured with several {what}: {', '.join(each)}")
    return tuple(found)


def _notices_of_each(reports: Sequence[BenchReport]) -> Iterator[str]:
    """The notices of all reports; what is not of all of them with the models that it is of."""
    models: dict[str, list[str]] = {}
    for report in reports:
        for notice in report.notices:
            models.setdefault(notice, []).append(report.plan.target)
    for notice, targets in models.items():
        whose = "" if len(targets) == len(reports) else f"{listed(targets, _MOST_NAMED)}: "
        yield f"{whose}{notice}"


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, texts)))


def machine_line(what: str, versions: dict[str, str], device: str, sessions: int) -> str:
    """``25 models · torch 2.13.0 · cpu · 1 session``; what is not known is left out."""
    parts = (
        what,
        f"torch {versions['torch']}" if "torch" in versions else "",
        device,
        count(sessions, "session") if sessions else "",
    )
    return " · ".join(filter(None, parts))
