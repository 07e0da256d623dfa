"""The page on kernels."""

import collections
import re
from collections.abc import Iterator

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
from inspector.report.wording import count, listed
from inspector.run.kernel import GraphCode, Kernel

TIMES = "\N{MULTIPLICATION SIGN}"
_MOST_OPERATORS = 6
_MOST_MODULES = 3
_MOST_ROWS = 8
_MOST_NAMES = 3
# Torch's key of a decision about padding: sizes, strides and dtypes, and the operator.
_SIZES = re.compile(r"torch\.Size\(\[([^\]]*)\]\), \([^)]*\), torch\.(\w+)")
_OPERATOR = re.compile(r"op='aten\.(\w+)'")
_MOST_DECISIONS = 12
_IF = {
    "padded": "padded",
    "template": "templates win",
    "subgraph": "decompose_k wins (compiled as separate graphs)",
}
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
    taken = count(sum(not row.is_candidate for row in report.rows), "kernel")
    launches = count(report.launches, "launch", "launches")
    library_calls = count(sum(report.libraries.values()), "library call")
    return Page(
        "Kernels",
        f"{taken}, {launches}, {library_calls} in {count(len(report.taken), 'graph')}",
        about(report.run),
        summary=list(filter(None, (_gpu(report), total_line(facts), _cpp(report)))),
        findings=report.findings,
        sections=(
            *(_graph(report, index, graph) for index, graph in enumerate(report.graphs)),
            Section(
                "Alternatives that autotuning on the GPU may choose",
                [Lines(list(_choice_lines(report)))],
            ),
            Section("Library and ATen calls", [Lines([", ".join(calls)] if calls else [])]),
        ),
        notes=as_notes(report.notices),
        next_steps=[command_about(report.run, "kernels", *options) for options in steps],
    )


def _gpu(report: KernelsReport) -> str:
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
    recorded = next((facts.recorded for facts in kernels if facts.recorded is not None), None)
    if recorded is None:
        widths = "a plain trace lacks the vector ISA and the reasons for serial loops"
        return f"C++: {widths}" if kernels else ""
    threads = count(recorded.threads, "thread")
    return f"C++ for {isa_name(recorded)}, {threads}, {recorded.compiler}"


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
    modules = list(dict.fromkeys(node.module for node in row.kernel.nodes if node.module))
    return (
        row.kernel.name,
        launches + _detail(row),
        "" if row.facts is None else build_line(row.facts),
        list(nest_lines(row.kernel.cpp)) if row.kernel.cpp is not None else [],
        code_lines(row.kernel),
        f"in {listed(modules, _MOST_MODULES)}" if modules else "",
    )


def _detail(row: KernelRow) -> str:
    kernel = row.kernel
    operators = [name.removeprefix("aten.").removeprefix("prims.") for name in kernel.aten]
    shown = ", ".join(dict.fromkeys(operators[:_MOST_OPERATORS]))
    more = f" +{len(operators) - _MOST_OPERATORS}" if len(operators) > _MOST_OPERATORS else ""
    sizes = []
    for index, hint in kernel.size_hints.items():
        # Where a size changes there is Inductor's hint, a power of two that is no less.
        size = re.search(rf"^\s*{index}numel = (\d+)$", kernel.source, re.MULTILINE)
        sizes.append(size[1] if size else f"up to {hint}")
    parts = [kernel.kind, TIMES.join(sizes), shown + more]
    if kernel.cpp is not None:
        parts = [vector_text(kernel.cpp), parallel_text(kernel.cpp), shown + more]
    if row.is_candidate:
        parts.insert(0, "candidate")
    return " · ".join(part for part in parts if part)


def code_lines(kernel: Kernel) -> list[CodeLine]:
    """The user's lines that a kernel computes."""
    return [
        CodeLine(f"{node.file.rpartition('/')[2]}:{node.line}", node.code) for node in kernel.lines
    ]


def _choice_lines(report: KernelsReport) -> Iterator[str]:
    """What a GPU that is not there would choose by measuring: each decision, then other code."""
    same: collections.Counter[str] = collections.Counter()
    for item in (item for _, target in report.targets for item in target.measured):
        others = [name for name in item.candidates if name != item.taken]
        line = f"{item.what}: {_about(item.detail)}: {item.taken}"
        same[f"{line}, or {listed(others, _MOST_NAMES)}" if others else line] += 1
    shown = list(same)[:_MOST_DECISIONS]
    for line in shown:
        yield f"{line} ({same[line]} times)" if same[line] > 1 else line
    if len(same) > len(shown):
        yield f"{len(same) - len(shown):,} more decisions in the JSON report"
    for index, graph in enumerate(report.graphs):
        names = [row.kernel.name for row in report.rows if row.graphs[0] == index]
        if graph.alternative and graph.calls and names:
            what = " and ".join(_IF.get(each, each) for each in graph.alternative.split(" and "))
            padded = [_about(item) for item in graph.about]
            if padded:
                what = what.replace("padded", f"{listed(padded, _MOST_NAMES)} is padded")
            place = f"graph {graph.compile_id} {graph.direction}"
            kernels = f"{count(len(names), 'other kernel')}, {listed(names, _MOST_NAMES)}"
            yield f"{place}, if {what}: {kernels}"


def _about(detail: str) -> str:
    operator, sizes = _OPERATOR.search(detail), _SIZES.findall(detail)
    if operator is None or not sizes:
        return detail
    operands = (f"{dtype} {TIMES.join(size.split(', '))}" for size, dtype in sizes)
    return f"{operator[1]} {', '.join(operands)}"
