"""How a page shows what passes changed: nodes of one operator share a line."""

from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing import labels
from inspector.features.graph.passes import GraphPasses, Pass, PassEdit, PassNode
from inspector.features.graph.report import PassesReport
from inspector.features.graph.vllm import vllm_sections
from inspector.features.graph.wording import TIMES
from inspector.report.page import Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count, listed

_MOST_PASSES = 12
_MOST_LINES = 8
_MOST_PLACES = 3
_LONG = 90
_COLUMNS = (Column("pass", "code"), Column("nodes"), Column("changes", "below"))


def page(report: PassesReport) -> Page:
    """Which passes changed which graphs, and how."""
    return Page(
        "Passes",
        _headline(report.graphs),
        about(report.run),
        sections=[*vllm_sections(report.vllm), *_sections(report.graphs)],
        notes=as_notes(report.notices),
    )


def _headline(graphs: Sequence[GraphPasses]) -> str:
    passes = [item for graph in graphs for item in graph.passes]
    if not graphs:
        return "no passes recorded"
    is_whole = all(graph.is_whole for graph in graphs)
    number = count(len(passes), "pass", "passes") if is_whole else "passes"
    changed = count(sum(bool(graph.passes) for graph in graphs), "graph")
    added = count(sum(len(item.added) for item in passes), "node")
    removed = sum(len(item.removed) for item in passes)
    retargeted = sum(len(item.retargeted) for item in passes)
    more = f", {retargeted} retargeted" if retargeted else ""
    return f"{number} changed {changed}: {added} added, {removed} removed{more}"


def _sections(graphs: Sequence[GraphPasses]) -> Iterator[Section]:
    """One for each graph that passes changed, and one line for the others."""
    same = [graph for graph in graphs if not graph.passes]
    for graph in graphs:
        rows = [(item.name, item.counts, list(_lines(item))) for item in graph.passes]
        title = f"{graph.name} passes"
        if graph.is_whole:
            title += f" ({len(rows)} changed the graph, {graph.unchanged} did not)"
        yield Section(title, [Table(_COLUMNS, rows, "pass", _MOST_PASSES)])
    if same:
        number = sum(graph.unchanged for graph in same)
        passes = f" ({count(number, 'pass', 'passes')})" if number else ""
        names = listed([graph.name for graph in same])
        yield Section("Unchanged graphs", [Lines([f"no pass changed {names}{passes}"])])


def _lines(item: Pass) -> Iterator[str]:
    lines = [*_grouped("-", item.removed), *_grouped("+", item.added)]
    lines += [
        f"~ {edit.after.name}: {edit.before.target} → {edit.after.target}{_at([edit.after])}"
        for edit in item.retargeted
    ]
    lines += [f"~ {it.after.name}: {_arguments(it)}{_at([it.after])}" for it in item.rewired]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {count(len(lines) - _MOST_LINES, 'more line')}"


def _grouped(sign: str, nodes: Sequence[PassNode]) -> Iterator[str]:
    """One line for each operator, with how many nodes call it, and the first lines of the user."""
    groups: dict[str, list[PassNode]] = {}
    for node in nodes:
        groups.setdefault(node.target, []).append(node)
    for target, group in groups.items():
        times = f"{len(group)}{TIMES} " if len(group) > 1 else f"{group[0].name} = "
        yield f"{sign} {times}{target}{_at(group)}"


def _arguments(edit: PassEdit) -> str:
    """``aten.mul.Tensor takes div in place of alias``; all arguments if their number differs."""
    before, after = (node.arguments.strip("[]").split(", ") for node in (edit.before, edit.after))
    if len(before) == len(after):
        pairs = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
        before, after = ([pair[place] for pair in pairs] for place in (0, 1))
    taken, left = (_short(", ".join(words)) for words in (after, before))
    return f"{edit.after.target} now takes {taken} instead of {left}"


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def _at(nodes: Sequence[PassNode]) -> str:
    places = list(dict.fromkeys(labels.line(node.line) for node in nodes if node.line))
    return f" at {listed(places, _MOST_PLACES)}" if places else ""
