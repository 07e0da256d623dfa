"""What is said about a collection of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.benches.collection import Measured, SettingSummary, summarized
from inspector.benches.rows import INTERRUPTED, NOT_TRIED, BenchRow
from inspector.findings.bench_report import BenchReport
from inspector.findings.bench_wording import error_text, faster_text, time_text
from inspector.findings.several_benches import (
    device_of,
    machine_line,
    notices_of,
    versions_of,
)
from inspector.findings.wording import count

FORMAT_VERSION = 1
"""Of a collection as JSON: counts up when a field changes its meaning or goes."""
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
        models: Its models, in order.
        summaries: What each setting does to them.
        device: The device's name, or an empty string.
        versions: Versions by package name.
        sessions: How often every process was begun anew.
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
        device=device_of(reports),
        versions=versions_of(reports),
        sessions=sessions,
        notices=notices_of(reports, earlier),
    )


def collection_machine(report: CollectionReport) -> str:
    """``25 models · torch 2.13.0 · cpu · 1 session``."""
    models = count(len(report.models), "model")
    return machine_line(models, report.versions, report.device, report.sessions)


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
            parts.append(
                f"{item.speedup:.2f} times as fast in the geometric mean "
                f"({', '.join(kinds)}{unclear})"
            )
        yield ", ".join(parts)


def collection_cells(model: Measured) -> Iterator[tuple[str, ...]]:
    """A line of the table for each setting and input of a model."""
    empty = ("",) * (len(COLLECTION_COLUMNS) - 2)
    if not model.rows:
        yield (model.name, model.failure, *empty)
        return
    several = len({row.input for row in model.rows}) > 1
    for row in model.compiled() or model.rows:
        name = f"{model.name} #{row.input + 1}" if several else model.name
        setting = " · ".join(filter(None, (row.setting.label, row.workload.label)))
        if row.setting.is_eager:
            said = time_text(row) if row.latency else row.failure
            yield (name, setting, said, *empty[1:])
        else:
            yield (name, setting, *_cells(row, _eager_of(row, model)))


def _eager_of(row: BenchRow, model: Measured) -> BenchRow | None:
    same = (each for each in model.rows if each.setting.is_eager and each.input == row.input)
    return next((each for each in same if each.workload == row.workload), None)


def _cells(row: BenchRow, eager: BenchRow | None) -> tuple[str, ...]:
    compiled = row.compiled
    if row.latency is None or row.fails_later:
        failed = eager.failure.removesuffix(".") if eager is not None else ""
        why = (
            f"eager PyTorch fails: {failed}" if failed and row.failure == NOT_TRIED else row.failure
        )
        return (time_text(eager), why, "", "", "", "")
    return (
        time_text(eager),
        time_text(row),
        faster_text(row.faster),
        str(compiled.graphs) if compiled else "-",
        str(compiled.graph_breaks) if compiled else "-",
        error_text(row),
    )
