"""How a report on kernels says things, the same in every format."""

from __future__ import annotations

import re

from inspector.findings.cpp_wording import isa_name, parallel_text, vector_text
from inspector.findings.kernels_report import KernelRow, KernelsReport
from inspector.findings.wording import count
from inspector.model.kernel import GraphCode, Kernel, NodeLine

_MOST_OPERATORS = 6
_MOST_MODULES = 3
TIMES = "\N{MULTIPLICATION SIGN}"


def kernels_headline(report: KernelsReport) -> str:
    """How many kernels there are, and what else runs."""
    taken = [row for row in report.rows if not row.is_candidate]
    libraries = sum(report.libraries.values())
    parts = [
        count(len(taken), "kernel"),
        count(report.launches, "launch", "launches"),
        f"{count(libraries, 'call')} of libraries",
        f"in {count(len(report.taken), 'graph')}",
    ]
    return ", ".join(parts[:3]) + f" {parts[3]}"


def gpu_line(report: KernelsReport) -> str:
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
    return f"generated for {name}{assumed}, which need not be here: {figures}"


def cpp_line(report: KernelsReport) -> str:
    """For which CPU the C++ kernels are, or an empty string."""
    kernels = [row.kernel.cpp for row in report.rows if row.kernel.cpp is not None]
    said = next((facts.said for facts in kernels if facts.said is not None), None)
    if said is None:
        widths = "what the vector ISA is, and why loops are as they are, is in no plain trace"
        return f"C++: {widths}" if kernels else ""
    threads = count(said.threads, "thread")
    return f"C++ for {isa_name(said)}, {threads}, {said.compiler}"


def graph_line(graph: GraphCode) -> str:
    """A graph in one line."""
    name = f"graph {graph.compile_id or graph.name} · {graph.direction}"
    work = f"{count(len(graph.kernels), 'kernel')} · {count(len(graph.calls), 'call')}"
    return f"{name} · {work}" + (f" · if {graph.alternative}" if graph.alternative else "")


def kernel_detail(row: KernelRow) -> str:
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


def modules_line(kernel: Kernel) -> str:
    """The modules that a kernel computes of, or an empty string."""
    modules = list(dict.fromkeys(node.module for node in kernel.nodes if node.module))
    more = f" and {len(modules) - _MOST_MODULES:,} more" if len(modules) > _MOST_MODULES else ""
    return f"in {', '.join(modules[:_MOST_MODULES])}{more}" if modules else ""


def _size(kernel: Kernel, index: str, hint: int) -> str:
    """The size of an index; where it changes, Inductor's hint, a power of two that is no less."""
    found = re.search(rf"^\s*{index}numel = (\d+)$", kernel.source, re.MULTILINE)
    return found[1] if found else f"up to {hint}"


def lines_of(kernel: Kernel) -> tuple[NodeLine, ...]:
    """The distinct user lines that a kernel computes; of a user's own kernel, first its own."""
    nodes = (kernel.definition, *kernel.nodes)
    found = {(node.file, node.line): node for node in nodes if node.line}
    return tuple(found.values())
