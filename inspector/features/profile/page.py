"""The page on profiles."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.profile.autotune_wording import (
    autotune_advice,
    autotune_summary,
    candidate_rows,
    tuned_name,
    tuned_rows,
)
from inspector.features.profile.autotuned import Autotuning
from inspector.features.profile.ceiling_wording import ceiling_lines
from inspector.features.profile.memory.memory import CallMemory, MemoryUse
from inspector.features.profile.memory_wording import memory_facts, memory_gains, memory_rows
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.report import ProfileReport
from inspector.features.profile.roofline import make_roofline
from inspector.features.profile.rows import kernel_rows, line_rows, share_rows
from inspector.features.profile.slowdown_wording import is_noise
from inspector.features.profile.wording import (
    further_gains,
    gain_lines,
    headline,
    idle_parts,
    verdict_lines,
)
from inspector.records.ceilings import Ceilings
from inspector.report.command_line import command_about
from inspector.report.file_names import PlacedRow
from inspector.report.page import (
    Block,
    Cell,
    CodeLine,
    Column,
    Fold,
    Lines,
    Page,
    Section,
    Table,
    about,
    as_notes,
)

_MOST_ROWS = 5
_MOST_TENSORS = 3
_MOST_FACTS = 2
_ALL = 200
_TIME, _SHARE, _BELOW = Column("time", "number"), Column("share", "number"), Column("", "below")
_LINES = Column("lines", "below")


def page(report: ProfileReport) -> Page:
    """Where the time of a call goes; of further inputs the verdict, and the rest on request."""
    first, *others = report.profiles or (None,)
    title, *summary = list(verdict_lines(first)) if first is not None else ["nothing was profiled"]
    whole = about(report.run)
    if first is not None:
        which = headline(first, len(report.profiles))
        whole = dataclasses.replace(whole, context=(*whole.context, which))
    return Page(
        "Profile",
        title,
        whole,
        summary=summary,
        sections=(
            *(_sections(first) if first is not None else ()),
            *(_other(report, found) for found in others if found is not None),
            *(_autotuning(report, report.autotuning) if report.autotuning is not None else ()),
            *([_ceilings(report.ceilings)] if report.ceilings is not None else ()),
        ),
        notes=as_notes(report.notices),
        next_steps=list(_next_steps(report)),
    )


def _next_steps(report: ProfileReport) -> Iterator[str]:
    found = [item for item in report.profiles if item.work]
    if any(item.breaks for item in found):
        yield command_about(report.run, "explain")
    if found and not found[0].is_cpu:
        yield command_about(report.run, "profile", "-o", "call.perfetto.json")
    elif found and make_roofline(found[0].work, report.ceilings).points:
        yield command_about(report.run, "profile", "-o", "profile.html")


def _other(report: ProfileReport, found: Profiled) -> Section:
    folds = [Fold(section.title, section.blocks) for section in _sections(found)]
    verdict = Lines(list(verdict_lines(found)))
    return Section(headline(found, len(report.profiles)), [verdict, *folds])


def _sections(found: Profiled) -> Iterator[Section]:
    parts = [(name, f"{share:.1%}", round(1000 * share)) for name, share in idle_parts(found)]
    chart = (Column("part"), _SHARE, Column("", "bar"))
    yield Section("Call", [Table(chart, parts, "part", _MOST_ROWS)])
    further = Lines(list(gain_lines(further_gains(found))))
    yield Section("Further opportunities (estimates that may overlap)", [further])
    gains = () if is_noise(found) else found.gains
    yield Section("All opportunities", [Lines(list(gain_lines(gains)))], is_detail=True)
    kernels = _with_code(kernel_rows(found))
    columns = (Column("kernel", "code"), _TIME, _SHARE, _BELOW, Column("", "detail"), _LINES)
    yield Section("Kernels", [Table(columns, kernels, "kernel", _MOST_ROWS)])
    lines = [(place, time, f"{share:.1%}", code) for place, time, share, code in line_rows(found)]
    source = (Column("line", "code"), _TIME, _SHARE, Column("source", "code"))
    yield Section("Lines", [Table(source, lines, "line", _MOST_ROWS)])
    for noun, times in (("operator", found.by_operator), ("module", found.by_module)):
        cells = [(name, time, f"{share:.1%}") for name, time, share in share_rows(found, times)]
        table = Table((Column(noun, "code"), _TIME, _SHARE), cells, noun, _ALL)
        yield Section(f"By {noun}", [table], is_detail=True)
    if found.memory is not None:
        yield from _memory(found.memory)


def _with_code(rows: Iterable[PlacedRow]) -> list[Sequence[Cell]]:
    return [(*cells, [CodeLine(*place) for place in places]) for *cells, places in rows]


def _memory(use: MemoryUse) -> Iterator[Section]:
    facts = [f"{label}: {text}" for label, text in memory_facts(use)]
    gains = list(memory_gains(use))
    peak = _tensors("at the peak", use.compiled)
    yield Section("Memory", [Lines(facts[:_MOST_FACTS]), peak, Lines(gains[:1])])
    eager = [_tensors("in eager", use.eager)] if use.eager is not None else []
    more: list[Block] = [Lines([*facts[_MOST_FACTS:], *gains[1:]]), *eager]
    yield Section("Memory details", more, is_detail=True)


def _tensors(title: str, call: CallMemory) -> Table:
    rows = _with_code(memory_rows(call))
    columns = (Column(title), Column("size", "number"), _SHARE, _BELOW, _LINES)
    return Table(columns, rows, "kind", _MOST_TENSORS)


def _autotuning(report: ProfileReport, found: Autotuning) -> Iterator[Section]:
    wall_ns = report.profiles[0].budget.wall_ns if report.profiles else 0.0
    lines = [*autotune_summary(found, wall_ns)]
    lines += [f"fix: {line}" for line in autotune_advice(found)]
    if not report.all_tuned and any(item.first.candidates for item in found.tuned):
        lines.append("all candidates: `inspect profile --autotune`")
    yield Section("Autotuning", [Lines(lines)])
    cells = _with_code(tuned_rows(found))
    columns = (Column("tuned", "code"), Column("cost", "number"), _BELOW, _LINES)
    yield Section("Tuned", [Table(columns, cells, "place", _ALL)], is_detail=not report.all_tuned)
    if report.all_tuned:
        candidates = (_TIME, Column("vs. winner", "number"), Column("candidate"))
        for item in found.tuned:
            table = Table(candidates, list(candidate_rows(item)), "candidate", _ALL)
            yield Section(f"Candidates for {tuned_name(item)}", [table])


def _ceilings(ceilings: Ceilings) -> Section:
    lines = Lines([f"{name}: {text}" for name, text in ceiling_lines(ceilings)])
    return Section(f"Peak rates of {ceilings.device}", [lines], is_detail=True)
