"""The page on numbers."""

from collections.abc import Iterator, Sequence

from inspector.features.numerics.report import NumericsReport
from inspector.records.bench import Divergence
from inspector.records.numerics import NotFinite, NumericError, Numerics
from inspector.report.page import Column, Lines, Page, Section, Table, about
from inspector.report.value_names import value_named
from inspector.report.wording import count

_ERRORS = (
    Column("max error", "number"),
    Column("relative", "number"),
    Column("eager", "number"),
    Column(""),
)


def page(report: NumericsReport) -> Page:
    """Whether results agree, where they leave eager PyTorch's, and the error of each layer."""
    return Page(
        "numerics",
        _headline(report),
        about(report.run),
        summary=tuple(_summary(report)),
        sections=tuple(_sections(report)),
        next_steps=report.next_steps,
    )


def _headline(report: NumericsReport) -> str:
    worst = report.worst
    if worst is None:
        return "nothing to compare: no call returns a tensor"
    size = f"max error {worst.absolute:.1e} in {value_named(worst.name)}"
    return f"compiled results differ: {size}" if report.differs else f"compiled agrees: {size}"


def _summary(report: NumericsReport) -> Iterator[str]:
    for item in report.inputs:
        if item.divergence is not None:
            yield _diverged(item, item.divergence)
        yield from map(_appears, item.not_finite)


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


def _appears(found: NotFinite) -> str:
    side = "also in eager" if found.is_eager else "only in compiled code"
    return f"{found.value} first appears in {found.operator}{_at(found)}, {side}"


def _at(found: Divergence | NotFinite) -> str:
    if not found.line:
        return ""
    return f" ({found.file.rpartition('/')[2]}:{found.line}: {found.code})"


def _sections(report: NumericsReport) -> Iterator[Section]:
    several = len(report.inputs) > 1
    for item in report.inputs:
        which = f" of input {item.input + 1}" if several else ""
        rows = [(value_named(error.name), *_cells(error)) for error in item.results]
        results = Table((Column("result"), *_ERRORS), rows, "result")
        yield Section(f"Results{which}", [results, *_uncompared(item)])
        rows = [(error.name, error.kind, *_cells(error)) for error in _shown(item.layers)]
        layers = Table((Column("module"), Column("class"), *_ERRORS), rows, "module")
        yield Section(f"Layers{which}", [layers] if rows else [])


def _shown(layers: Sequence[NumericError]) -> list[NumericError]:
    """From the first that differs on, then those before; in order where none differs."""
    first = next((at for at, error in enumerate(layers) if error.is_off), 0)
    return [*layers[first:], *layers[:first]]


def _cells(error: NumericError) -> tuple[str, ...]:
    relative = [
        "-" if part is None else f"{part:.1e}" for part in (error.relative, error.eager_relative)
    ]
    return (f"{error.absolute:.1e}", *relative, "differs" if error.is_off else "ok")


def _uncompared(item: Numerics) -> list[Lines]:
    if not item.uncompared:
        return []
    return [Lines([f"{count(len(item.uncompared), 'result')} cannot be compared."])]
