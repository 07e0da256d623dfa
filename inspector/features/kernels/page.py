"""The page on kernels."""

from __future__ import annotations

import re

from inspector.features.kernels.choices_page import CHOICES_TITLE, choice_lines
from inspector.features.kernels.cpp_wording import isa_name, nest_lines, parallel_text, vector_text
from inspector.features.kernels.kernel_build_wording import build_line, total_line
from inspector.features.kernels.report import KernelRow, KernelsReport
from inspector.report.command_line import command_about
from inspector.report.page import (
    Block,
    Code,
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
from inspector.report.wording import count
from inspector.run.kernel import GraphCode, Kernel

TIMES = "\N{MULTIPLICATION SIGN}"
_MOST_OPERATORS = 6
_MOST_MODULES = 3
_MOST_ROWS = 8
_COLUMNS = (
    Column("kernel", "code"),
    Column("", "below"),
    Column("compiled", "below"),
    Column("loops", "below"),
    Column("lines", "below"),
    Column("modules", "below"),
)


def page(report: KernelsReport) -> Page:
    """The kernels of each graph; of one kernel its source alone."""
    if report.shown:
        row = next(row for row in report.rows if row.kernel.name == report.shown)
        return Page("Kernels", "", sections=(Section("", [_source(row)]),))
    facts = [row.facts for row in report.rows if row.facts is not None and not row.is_candidate]
    calls = [f"{name} {number}{TIMES}" for name, number in report.libraries.items()]
    steps = [("--show", row.kernel.name, "--as", "source") for row in report.rows[:1]]
    return Page(
        "Kernels",
        _headline(report),
        about(report.run),
        summary=list(filter(None, (_gpu(report), total_line(facts), _cpp(report)))),
        findings=report.findings,
        sections=(
            *(_graph(report, index, graph) for index, graph in enumerate(report.graphs)),
            Section(CHOICES_TITLE, [Lines(list(choice_lines(report)))]),
            Section("Library and ATen calls", [Lines([", ".join(calls)] if calls else [])]),
        ),
        notes=as_notes(report.notices),
        next_steps=[command_about(report.run, "kernels", *options) for options in steps],
    )


def _headline(report: KernelsReport) -> str:
    """How many kernels there are, and what else runs."""
    taken = [row for row in report.rows if not row.is_candidate]
    calls = count(sum(report.libraries.values()), "library call")
    parts = (count(len(taken), "kernel"), count(report.launches, "launch", "launches"))
    graphs = count(len(report.taken), "graph")
    return f"{', '.join(parts)}, {calls} in {graphs}"


def _gpu(report: KernelsReport) -> str:
    """For which GPU the code is, or an empty string."""
    gpu = report.gpu
    if gpu is None:
        return ""
    figures = (
        f"sm_{gpu.arch} · {gpu.multiprocessors} multiprocessors · "
        f"{gpu.bandwidth / 1e12:.2f} TB/s · {gpu.memory_bytes / 2**30:.0f} GiB"
    )
    assumed = f", figures of {gpu.name}" if gpu.assumed else ""
    name = gpu.key if gpu.assumed else gpu.name
    return f"generated for {name}{assumed}: {figures}"


def _cpp(report: KernelsReport) -> str:
    """For which CPU the C++ kernels are, or an empty string."""
    kernels = [row.kernel.cpp for row in report.rows if row.kernel.cpp is not None]
    said = next((facts.said for facts in kernels if facts.said is not None), None)
    if said is None:
        widths = "a plain trace has no vector ISA and no reasons for serial loops"
        return f"C++: {widths}" if kernels else ""
    threads = count(said.threads, "thread")
    return f"C++ for {isa_name(said)}, {threads}, {said.compiler}"


def _graph(report: KernelsReport, index: int, graph: GraphCode) -> Section:
    """A graph; what is generated if the GPU chooses otherwise is much the same, and folded away."""
    rows = [row for row in report.rows if row.graphs[0] == index]
    blocks: list[Block] = [Table(_COLUMNS, [_row(row) for row in rows], "kernel", _MOST_ROWS)]
    blocks += [Fold(row.kernel.name, [_source(row)]) for row in rows]
    name = f"graph {graph.compile_id or graph.name} · {graph.direction}"
    work = f"{count(len(graph.kernels), 'kernel')} · {count(len(graph.calls), 'call')}"
    if not graph.alternative:
        return Section(f"{name} · {work}", blocks if rows else ())
    title = f"{name} · {work} · if {graph.alternative}"
    return Section("", [Fold(title, blocks)] if rows else ())


def _source(row: KernelRow) -> Code:
    language = "cpp" if row.kernel.language == "cpp" else "python"
    return Code(row.kernel.source.rstrip("\n"), language)


def _row(row: KernelRow) -> tuple[str | list[str] | list[CodeLine], ...]:
    launches = f"{row.launches}{TIMES} " if row.launches > 1 else ""
    return (
        row.kernel.name,
        launches + _detail(row),
        "" if row.facts is None else build_line(row.facts),
        list(nest_lines(row.kernel.cpp)) if row.kernel.cpp is not None else [],
        code_lines(row.kernel),
        _modules(row.kernel),
    )


def _detail(row: KernelRow) -> str:
    """What a kernel does, in a few words."""
    kernel = row.kernel
    operators = [name.removeprefix("aten.").removeprefix("prims.") for name in kernel.aten]
    shown = ", ".join(dict.fromkeys(operators[:_MOST_OPERATORS]))
    more = f" +{len(operators) - _MOST_OPERATORS}" if len(operators) > _MOST_OPERATORS else ""
    sizes = TIMES.join(_size(kernel, *item) for item in kernel.size_hints.items())
    parts = [kernel.kind, sizes, shown + more]
    if kernel.cpp is not None:
        parts = [vector_text(kernel.cpp), parallel_text(kernel.cpp), shown + more]
    if row.is_candidate:
        parts.insert(0, "candidate")
    return " · ".join(part for part in parts if part)


def _size(kernel: Kernel, index: str, hint: int) -> str:
    """The size of an index; where it changes, Inductor's hint, a power of two that is no less."""
    found = re.search(rf"^\s*{index}numel = (\d+)$", kernel.source, re.MULTILINE)
    return found[1] if found else f"up to {hint}"


def code_lines(kernel: Kernel) -> list[CodeLine]:
    """The user's lines that a kernel computes."""
    return [
        CodeLine(f"{node.file.rpartition('/')[2]}:{node.line}", node.code) for node in kernel.lines
    ]


def _modules(kernel: Kernel) -> str:
    """The modules that a kernel computes of, or an empty string."""
    modules = list(dict.fromkeys(node.module for node in kernel.nodes if node.module))
    more = f" and {len(modules) - _MOST_MODULES:,} more" if len(modules) > _MOST_MODULES else ""
    return f"in {', '.join(modules[:_MOST_MODULES])}{more}" if modules else ""
