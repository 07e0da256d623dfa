"""What is said about a collection of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.benches.collection import Measured, SettingSummary, summarized
from inspector.benches.rows import INTERRUPTED, NOT_TRIED, BenchRow
from inspector.findings.bench_report import BenchReport
from inspector.findings.bench_wording import error_text, faster_text, time_text
from inspector.findings.wording import count, listed

FORMAT_VERSION = 1
"""Of a collection as JSON: counts up when a field changes its meaning or goes."""
_MOST_NAMED = 3
COLLECTION_COLUMNS = (
    "model",
    "setting",
    "eager",
    "compiled",
    "faster",
    "graphs",
    "breaks",
    "error",
)


@dataclasses.dataclass(frozen=True, slots=True)
class CollectionReport:
    """Everything that is said about a collection.

    Attributes:
        summaries: What each setting does to them.
        notices: What has to be known of the measurement; one sentence each.
    """

    models: tuple[Measured, ...]
    summaries: tuple[SettingSummary, ...]
    device: str
    versions: dict[str, str]
    sessions: int
    notices: tuple[str, ...]


def measured_of(name: str, report: BenchReport) -> Measured:
    """A model that was measured."""
    best = next((group.choice.latency for group in report.groups if group.choice.latency), None)
    return Measured(name, report.rows, best, "", report.plan.took_seconds)


def make_collection_report(
    models: Sequence[Measured],
    reports: Sequence[BenchReport],
    sessions: int,
    earlier: Sequence[BenchReport] = (),
) -> CollectionReport:
    """Adds up the models.

    Args:
        models: The models.
        reports: Of those that could be measured.
        sessions: How often every process was begun anew.
        earlier: Those of the reports that an earlier run has made.
    """
    return CollectionReport(
        models=tuple(models),
        summaries=summarized(models),
        device=_device_of(reports),
        versions=_versions_of(reports),
        sessions=sessions,
        notices=notices_of(reports, earlier),
    )


def collection_machine(report: CollectionReport) -> str:
    """``25 models · torch 2.13.0 · cpu · 1 session``."""
    models = count(len(report.models), "model")
    return _machine_line(models, report.versions, report.device, report.sessions)


def collection_lines(report: CollectionReport) -> Iterator[str]:
    """What each setting does to the collection, in a sentence."""
    for item in report.summaries:
        if not item.models:
            yield f"{item.label}: {INTERRUPTED}"
            continue
        verb = "runs" if item.ran == 1 else "run"
        parts = [f"{item.label}: {item.ran} of {count(item.models, 'model')} {verb}"]
        if item.ran:
            parts.append(f"{item.captured} without a graph break")
        if item.wrong:
            parts.append(f"{item.wrong} with wrong results")
        if item.speedup is not None:
            mixed = item.ran - item.faster - item.slower - item.same
            same = item.same - item.unknown
            kinds = (f"{item.faster} faster", f"{item.slower} slower", f"{same} within noise")
            unclear = f", {item.unknown} not known" if item.unknown else ""
            unclear += f", {mixed} neither" if mixed else ""
            speedup = f"{item.speedup:.2f}\N{MULTIPLICATION SIGN}"
            parts.append(f"geometric mean {speedup} ({', '.join(kinds)}{unclear})")
        yield ", ".join(parts)


def collection_cells(model: Measured) -> Iterator[tuple[str, ...]]:
    """A row for each setting and input of a model; at its end why it has no times."""
    empty = ("",) * (len(COLLECTION_COLUMNS) - 3)
    if not model.rows:
        yield (model.name, "", "", *empty, model.failure)
        return
    several = len({row.input for row in model.rows}) > 1
    for row in model.compiled() or model.rows:
        name = f"{model.name} #{row.input + 1}" if several else model.name
        setting = " · ".join(filter(None, (row.setting.label, row.workload.label)))
        if row.setting.is_eager:
            said = (time_text(row), *empty, "") if row.latency else ("", *empty, row.failure)
            yield (name, setting, *said)
        else:
            yield (name, setting, *_cells(row, _eager_of(row, model)))


def _eager_of(row: BenchRow, model: Measured) -> BenchRow | None:
    same = (each for each in model.rows if each.setting.is_eager and each.input == row.input)
    return next((each for each in same if each.workload == row.workload), None)


def _cells(row: BenchRow, eager: BenchRow | None) -> tuple[str, ...]:
    compiled = row.compiled
    if row.latency is None or row.fails_later:
        failed = eager.failure.removesuffix(".") if eager is not None else ""
        why = f"eager fails: {failed}" if failed and row.failure == NOT_TRIED else row.failure
        return (time_text(eager), "", "", "", "", "", why)
    return (
        time_text(eager),
        time_text(row),
        faster_text(row.faster),
        str(compiled.graphs) if compiled else "-",
        str(compiled.graph_breaks) if compiled else "-",
        error_text(row),
        "",
    )


def _device_of(reports: Sequence[BenchReport]) -> str:
    """The device's name, or an empty string."""
    return next((report.device for report in reports if report.device), "")


def _versions_of(reports: Sequence[BenchReport]) -> dict[str, str]:
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


def _machine_line(what: str, versions: dict[str, str], device: str, sessions: int) -> str:
    """``25 models · torch 2.13.0 · cpu · 1 session``; what is not known is left out."""
    parts = (
        what,
        f"torch {versions['torch']}" if "torch" in versions else "",
        device,
        count(sessions, "session") if sessions else "",
    )
    return " · ".join(filter(None, parts))
