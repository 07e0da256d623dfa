"""The page on a fault of the compiler."""

from collections.abc import Iterator

from inspector.features.repro.report import ReproReport
from inspector.records.repro import Repro
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about
from inspector.report.wording import count, listed

_MOST_NAMED = 8


def page(report: ReproReport) -> Page:
    """What is wrong, which part of the compiler makes the difference, and the file."""
    found = report.found
    return Page(
        "repro",
        _headline(found),
        about(report.run),
        summary=tuple(_summary(report)),
        sections=(
            Section("Smallest graph", list(_graph(found))),
            Section("What was switched off", [_switched(found)]),
            Section("Output of the fresh process", _code(found.output), is_detail=True),
            Section("The file", _code(found.text, "python"), is_detail=True),
        ),
        notes=tuple(("note", text) for text in _notes(found)),
        next_steps=report.next_steps,
    )


def _headline(found: Repro) -> str:
    if found.kind == "none":
        return "no fault: the compiled program runs and agrees with eager PyTorch"
    what = "the compiler crashes" if found.kind == "crash" else "wrong result"
    at = ", ".join(filter(None, (found.subsystem, found.inside)))
    return f"{what}: {at or 'the subsystem is unknown'}"


def _summary(report: ReproReport) -> Iterator[str]:
    found = report.found
    if found.kind == "none":
        return
    yield f"{found.exception}: {found.said}" if found.exception else found.said
    if not report.file:
        return
    if found.is_checked:
        alone = f" if it imports {listed(found.needs)}" if found.needs else ""
        yield f"{report.file} reproduces the fault in a fresh process{alone}"
    else:
        yield f"{report.file} does not reproduce the fault in a fresh process"


def _graph(found: Repro) -> Iterator[Block]:
    if not found.operators:
        return
    before = count(found.operators_before, "operator")
    names = list(found.operators[:_MOST_NAMED])
    rest = len(found.operators) - len(names)
    names += [f"{rest} more"] if rest else []
    yield Lines([f"{len(found.operators)} of {before}: {', '.join(names)}"])
    if found.file:
        rows = [(f"{found.file.rpartition('/')[2]}:{found.line}", found.code)]
        yield Table((Column("line"), Column("code", "code")), rows)


def _switched(found: Repro) -> Table:
    columns = (Column("off"), Column("the fault"), Column("replay", "below"))
    rows = [
        (row.what, "is gone" if not row.fault else "stays" if _is_same(found, row.fault) else
         f"is another: {row.fault}", row.replay)
        for row in found.rows
    ]  # fmt: skip
    return Table(columns, rows, "part", limit=20)


def _is_same(found: Repro, fault: str) -> bool:
    return not found.exception or fault.startswith(f"{found.exception}: ")


def _code(text: str, language: str = "text") -> list[Block]:
    return [Code(text, language)] if text else []


def _notes(found: Repro) -> Iterator[str]:
    if found.is_cut_off:
        yield "Time ran out before the graph was fully reduced. Allow more with --seconds."
    if found.needs:
        names = listed(found.needs)
        yield f"Without {names}, the fault disappears: that code changes what the compiler does."
