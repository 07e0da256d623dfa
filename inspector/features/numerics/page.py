"""The page on numbers."""

from collections.abc import Iterator, Sequence

from inspector.features.numerics.report import NumericsReport
from inspector.records.numerics import (
    INITIAL,
    ChangedOperator,
    Difference,
    Divergence,
    NotFinite,
    NumericError,
    Numerics,
)
from inspector.report.page import Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.value_names import value_named
from inspector.report.wording import count, listed

_MOST_NAMED = 4


def page(report: NumericsReport) -> Page:
    """Whether results agree, where they leave eager PyTorch's, and the error of each layer."""
    return Page(
        "numerics",
        _headline(report),
        about(report.run),
        summary=tuple(_summary(report)),
        sections=tuple(_sections(report)),
        notes=as_notes(_notes(report)),
        next_steps=report.next_steps,
    )


def _headline(report: NumericsReport) -> str:
    worst = report.worst
    if worst is None:
        return "nothing to compare: no call returns a tensor"
    size = f"max error {worst.absolute:.1e} in {value_named(worst.name)}"
    if report.before:
        if not worst.absolute and not report.differs:
            return f"results are identical to those of {report.before}"
        verdict = "differ from" if report.differs else "agree with"
        return f"results {verdict} {report.before}: {size}"
    return f"compiled results differ: {size}" if report.differs else f"compiled agrees: {size}"


def _summary(report: NumericsReport) -> Iterator[str]:
    side = f"not in {report.before}" if report.before else "only in compiled code"
    for item in report.inputs:
        which = f"input {item.input + 1}: " if len(report.inputs) > 1 else ""
        if item.divergence is not None:
            yield which + _diverged(item, item.divergence)
        for found in item.not_finite:
            where = "also in eager" if found.is_eager else side
            yield f"{which}{found.value} first appears in {found.operator}{_at(found)}, {where}"
        for change in item.changes:
            yield from _changed(change, which)
    if report.before and not (report.differs or any(item.changes for item in report.inputs)):
        yield "all operators that both run give identical results"


def _diverged(item: Numerics, found: Divergence) -> str:
    if found.failure:
        return f"the first differing operator was not found: {found.failure}"
    if not found.operator:
        return (
            "each graph is correct on its own: the difference arises in the backward pass or "
            "between graphs"
        )
    where = "captured by Dynamo" if item.in_dynamo else f"{found.at} of {found.operators}"
    return f"first differing operator: {found.operator}{_at(found)}, {where}"


def _changed(found: ChangedOperator, which: str) -> Iterator[str]:
    error = found.error
    first = "first difference beyond the tolerance" if error.is_off else "first difference"
    where = f" {'of' if error.name == 'output' else 'in'} {found.module or 'the model'}"
    size = error.kind or f"max error {error.absolute:.1e}"
    size = count(error.nan, "NaN element") if error.nan else size
    yield f"{which}{first}: {error.name}{where}{_at(found)}, {size}"
    if found.before.partition(": ")[2] != found.code:
        yield f"before the change: {found.before}"
    if found.after_added:
        yield f"last new operator before it: {found.after_added}"


def _at(found: Divergence | NotFinite | ChangedOperator) -> str:
    if not found.line:
        return ""
    return f" ({found.file.rpartition('/')[2]}:{found.line}: {found.code})"


def _sections(report: NumericsReport) -> Iterator[Section]:
    several = len(report.inputs) > 1
    names = ("max error", "relative", *(() if report.before else ("eager",)))
    errors = (*(Column(name, "number") for name in names), Column(""))
    for item in report.inputs:
        which = f" of input {item.input + 1}" if several else ""
        rows = [(error.name, error.kind, *_cells(error, names)) for error in _shown(item.layers)]
        layers = Table((Column("module"), Column("class"), *errors), rows, "module")
        rows = [
            (each.kind, each.name, _change(each))
            for each in item.differences
            if each.kind != INITIAL
        ]
        differences = Table(tuple(map(Column, ("", "name", "change"))), rows, "difference")
        rows = [
            (value_named(error.name), *_cells(error, names), error.kind) for error in item.results
        ]
        results = Table((Column("result"), *errors, Column("")), rows, "result")
        yield Section(f"Changes{which}", [differences])
        yield Section(f"Results{which}", [results, *_uncompared(item)])
        yield Section(f"Layers{which}", [layers])


def _change(each: Difference) -> str:
    if each.before and each.after:
        return f"{each.before} → {each.after}"
    return f"added: {each.after}" if each.after else f"removed: {each.before}"


def _shown(layers: Sequence[NumericError]) -> list[NumericError]:
    """From the first that differs on, then those before; in order where none differs."""
    first = next((at for at, error in enumerate(layers) if error.is_off), 0)
    return [*layers[first:], *layers[:first]]


def _cells(error: NumericError, names: Sequence[str]) -> tuple[str, ...]:
    sizes = (error.absolute, error.relative, error.eager_relative)[: len(names)]
    cells = ("-" if size is None else f"{size:.1e}" for size in sizes)
    return (*cells, "differs" if error.is_off else "ok")


def _uncompared(item: Numerics) -> list[Lines]:
    if not item.uncompared:
        return []
    return [Lines([f"{count(len(item.uncompared), 'result')} cannot be compared."])]


def _notes(report: NumericsReport) -> Iterator[str]:
    initial = [
        each.name for item in report.inputs for each in item.differences if each.kind == INITIAL
    ]
    if initial:
        named = listed(initial, _MOST_NAMED)
        yield f"Initial values differ. Both ran with those of {report.before}: {named}."
