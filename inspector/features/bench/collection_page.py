"""The page on a collection of models."""

from collections.abc import Iterator

from inspector.features.bench.collection_report import CollectionReport, Measured
from inspector.features.bench.rows import INTERRUPTED, NOT_TRIED, BenchRow
from inspector.features.bench.wording import error_text, faster_text, time_text
from inspector.report.page import About, Column, Page, Section, Table, as_notes
from inspector.report.wording import count

_MOST_ROWS = 200
_FIGURES = ("eager", "compiled", "faster", "breaks", "error")
_COLUMNS = (
    Column("model and setting"),
    *(Column(name, "number") for name in _FIGURES),
    Column("", "below"),
)


def page(report: CollectionReport) -> Page:
    """What each setting does to many models, and a row for each of them."""
    headline, *summary = [*collection_lines(report)] or ["nothing was measured"]
    rows = [cells for model in report.models for cells in collection_cells(model)]
    machine = (
        count(len(report.models), "model"),
        f"torch {report.versions['torch']}" if "torch" in report.versions else "",
        report.device,
        count(report.sessions, "session") if report.sessions else "",
    )
    return Page(
        "Collection",
        headline,
        About(context=[" · ".join(filter(None, machine))]),
        summary=summary,
        sections=[Section("Models", [Table(_COLUMNS, rows, "row", _MOST_ROWS)])],
        notes=as_notes(report.notices),
    )


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
            kinds = (f"{item.faster} faster", f"{item.slower} slower", f"{item.same} within noise")
            speedup = f"{item.speedup:.2f}\N{MULTIPLICATION SIGN}"
            parts.append(f"geometric mean {speedup} ({', '.join(kinds)})")
        yield ", ".join(parts)


def collection_cells(model: Measured) -> Iterator[tuple[str, ...]]:
    """A row for each setting and input of a model; at its end why it has no times."""
    empty = ("",) * (len(_FIGURES) - 1)
    if not model.rows:
        yield (model.name, "", *empty, model.failure)
        return
    several = len({row.input for row in model.rows}) > 1
    eagers = {(it.workload, it.input): it for it in model.rows if it.setting.is_eager}
    for row in model.compiled() or model.rows:
        name = f"{model.name} #{row.input + 1}" if several else model.name
        name = " · ".join(filter(None, (name, row.setting.label, row.workload.label)))
        if row.setting.is_eager:
            said = (time_text(row), *empty, "") if row.latency else ("", *empty, row.failure)
            yield (name, *said)
        else:
            yield (name, *_cells(row, eagers.get((row.workload, row.input))))


def _cells(row: BenchRow, eager: BenchRow | None) -> tuple[str, ...]:
    compiled = row.compiled
    if row.latency is None or row.fails_later:
        failed = eager.failure.removesuffix(".") if eager is not None else ""
        why = f"eager fails: {failed}" if failed and row.failure == NOT_TRIED else row.failure
        return (time_text(eager), "", "", "", "", why)
    return (
        time_text(eager),
        time_text(row),
        faster_text(row.faster),
        str(compiled.graph_breaks) if compiled else "-",
        error_text(row),
        "",
    )
