"""A report on kernels as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.findings.cpp_wording import nest_lines
from inspector.findings.kernel_build_wording import build_line, total_line
from inspector.findings.kernel_choices_wording import CHOICES_TITLE, choice_lines
from inspector.findings.kernels_report import KernelRow, KernelsReport
from inspector.findings.kernels_wording import (
    TIMES,
    cpp_line,
    gpu_line,
    graph_line,
    kernel_detail,
    kernels_headline,
    lines_of,
    modules_line,
)
from inspector.findings.overview import recording_line
from inspector.renderers.markdown.finding import finding_lines
from inspector.renderers.markdown.markup import cell, code, details, fenced, prose


def kernels_lines(report: KernelsReport) -> Iterator[str]:
    """The lines of a report on kernels; of one kernel its source."""
    if report.shown:
        row = next(row for row in report.rows if row.kernel.name == report.shown)
        yield from fenced(row.kernel.source.rstrip("\n"), _language(row))
        return
    target = report.run.meta.target
    yield f"# Kernels: {code(target)}" if target else "# Kernels"
    yield ""
    yield prose(" · ".join(recording_line(report.run)))
    yield ""
    yield f"**{prose(kernels_headline(report))}**"
    yield ""
    if report.gpu is not None:
        yield prose(gpu_line(report))
        yield ""
    facts = [row.facts for row in report.rows if row.facts is not None and not row.is_candidate]
    total = total_line(facts)
    if total:
        yield f"{prose(total)}"
        yield ""
    if cpp_line(report):
        yield prose(cpp_line(report))
        yield ""
    for number, finding in enumerate(report.findings, 1):
        yield from finding_lines(number, finding)
    for index, graph in enumerate(report.graphs):
        yield from _graph(report, index, graph_line(graph))
    choices = list(choice_lines(report))
    if choices:
        yield f"## {CHOICES_TITLE}"
        yield ""
        yield from (f"- {prose(line)}" for line in choices)
        yield ""
    if report.libraries:
        yield "## Calls of libraries and ATen"
        yield ""
        yield from (f"- {code(name)} {number}{TIMES}" for name, number in report.libraries.items())
        yield ""
    yield from (f"- note: {prose(notice)}" for notice in report.notices)


def _graph(report: KernelsReport, index: int, title: str) -> Iterator[str]:
    rows = [row for row in report.rows if row.graphs[0] == index]
    if not rows:
        return
    yield f"## {prose(title)}"
    yield ""
    yield "| kernel | launches | | compiled | lines |"
    yield "|:--|--:|:--|:--|:--|"
    for row in rows:
        places = ", ".join(
            f"{node.file.rpartition('/')[2]}:{node.line}" for node in lines_of(row.kernel)
        )
        places = "; ".join(filter(None, (places, modules_line(row.kernel))))
        name = cell(f"`{row.kernel.name}`")
        built = "" if row.facts is None else build_line(row.facts)
        parts = (name, str(row.launches), cell(kernel_detail(row)), cell(built), cell(places))
        yield f"| {' | '.join(parts)} |"
    yield ""
    for row in rows:
        lines = nest_lines(row.kernel.cpp) if row.kernel.cpp is not None else ()
        yield from (f"- {code(row.kernel.name)}: {prose(line)}" for line in lines)
    yield ""
    for row in rows:
        yield from details(row.kernel.name, fenced(row.kernel.source.rstrip("\n"), _language(row)))


def _language(row: KernelRow) -> str:
    return "cpp" if row.kernel.language == "cpp" else "python"
