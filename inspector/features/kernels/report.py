"""Everything that is said about the generated kernels of a run."""

import collections
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping

from inspector.features.kernels.ahead_code import read_ahead_code
from inspector.features.kernels.cpp_source import with_recorded
from inspector.features.kernels.generated_source import read_triton
from inspector.features.kernels.kernel_findings import (
    CodeRule,
    CppRule,
    code_findings,
    cpp_findings,
)
from inspector.features.kernels.node_lines import node_lines, recorded_node_lines
from inspector.features.kernels.output_code import read_output_code
from inspector.records.gpu_target import GpuTarget
from inspector.records.graphs import RecordedGraph
from inspector.report.command_line import command_again
from inspector.report.failed_frames import failed_at, failed_frames
from inspector.report.finding import Finding
from inspector.report.overview import reading_texts
from inspector.run.graph_places import GraphPlace, OutputCodes, OutputText
from inspector.run.kernel import GraphCode, Kernel, NodeLine
from inspector.run.kernel_facts import KernelFacts
from inspector.run.run import Process, Run
from inspector.shared.gpu_table import find_gpu
from inspector.shared.gpus import Gpu
from inspector.shared.roots import Roots
from inspector.trace.inspector_records import stored_record

_BACKWARD = "_backward']"  # of torch's name of the graph, at the code's beginning

FORMAT_VERSION = 1
"""Of a kernels report as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class KernelRow:
    """One kernel, listed once even if several graphs define it.

    Attributes:
        graphs: Indices of the graphs that define it.
        is_candidate: Whether the kernel occurs only in alternative code that may be chosen on the
            device.
        facts: Results of compiling the kernel, or None if it was not compiled.
    """

    kernel: Kernel
    graphs: tuple[int, ...]
    launches: int
    is_candidate: bool = False
    facts: KernelFacts | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class KernelsReport:
    """The kernels of a run.

    Attributes:
        gpu: The simulated GPU, or None.
        graphs: Output code of each graph; alternatives follow the code that was chosen.
        libraries: Number of calls by library function or ATen operator.
        targets: What was said of each graph where the GPU is not there.
        notices: Missing data and how to obtain it, one sentence each.
    """

    run: Run
    gpu: Gpu | None
    graphs: tuple[GraphCode, ...]
    rows: tuple[KernelRow, ...]
    libraries: Mapping[str, int]
    targets: tuple[tuple[str, GpuTarget], ...]
    notices: tuple[str, ...]
    shown: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def taken(self) -> tuple[GraphCode, ...]:
        """The graphs without alternatives."""
        return tuple(graph for graph in self.graphs if not graph.alternative)

    @property
    def launches(self) -> int:
        """Launches of generated kernels, if each graph runs once."""
        return sum(row.launches for row in self.rows)


def make_kernels_report(
    run: Run,
    shown: str = "",
    cpp_rules: Iterable[CppRule] = (),
    code_rules: Iterable[CodeRule] = (),
) -> KernelsReport:
    """Reads the output code of a run; `OSError` where a log is gone."""
    unread: list[str] = []
    graphs: list[GraphCode] = []
    for process in run.processes:
        graphs += graph_codes(process, run.roots, unread)
    targets = tuple(item for process in run.processes for item in process.codes.targets)
    key = next((process.codes.gpu for process in run.processes if process.codes.gpu), "")
    rows = tuple(_rows(graphs))
    calls = [call for graph in graphs if not graph.alternative for call in graph.calls]
    libraries = collections.Counter(call.name for call in calls if call.kind != "kernel")
    return KernelsReport(
        run=run,
        gpu=find_gpu(key) if key else None,
        graphs=tuple(graphs),
        rows=rows,
        libraries=dict(libraries.most_common()),
        targets=targets,
        notices=tuple(_notices(run, graphs, targets, unread)),
        shown=shown,
        findings=(
            *cpp_findings(run, [row.kernel for row in rows], cpp_rules),
            *code_findings(run, graphs, code_rules),
        ),
    )


def graph_codes(process: Process, roots: Roots, unread: list[str]) -> Iterator[GraphCode]:
    """The graphs of a process with their kernels; what cannot be read is added to `unread`."""
    codes = process.codes
    asked: set[str] = set()
    # Forward, backward and alternatives of a compilation have one captured graph.
    texts = {text.compile_id: text for text in codes.texts}
    lines = {key: _captured_lines(text.graph, roots) for key, text in texts.items()}

    def read(text: OutputText, code: str) -> list[GraphCode]:
        try:
            return [_read(text, code, lines.get(text.compile_id, {}), roots)]
        except ValueError as error:
            unread.append(f"{text.compile_id}: {error}")
            return []

    for text in codes.texts:
        for graph in read(text, text.text.text() if text.text else ""):
            asked |= {graph.compile_id} if graph.direction == "backward" else set()
            yield graph
    yield from _alternatives(codes, read, asked)


def _alternatives(
    codes: OutputCodes, read: Callable[[OutputText, str], list[GraphCode]], asked: set[str]
) -> Iterator[GraphCode]:
    texts = {text.compile_id: text for text in codes.texts}
    for compile_id, target in codes.targets:
        for other in target.alternatives:
            text = texts.get(compile_id, OutputText(compile_id, None, "", None))
            for graph in read(text, other.code):
                # A backward pass that nobody asked for has no code to choose between.
                if graph.direction != "backward" or compile_id in asked:
                    yield dataclasses.replace(
                        graph, file="", alternative=other.decided, about=other.about
                    )
        for decision in target.measured:
            if decision.direction == "backward" and compile_id not in asked:
                continue
            aten = (f"aten.{decision.detail.partition(' ')[0]}",)
            # Candidates as they are measured, with nothing fused to them.
            kernels = tuple(
                dataclasses.replace(read_triton(*item), aten=aten, definition=NodeLine(""))
                for item in decision.sources.items()
            )
            if kernels:
                direction = decision.direction or "inference"
                name, what = decision.detail, decision.what
                yield GraphCode(compile_id, direction, name, kernels, (), alternative=what)


def _read(text: OutputText, code: str, captured: Mapping[str, NodeLine], roots: Roots) -> GraphCode:
    lowered: Mapping[str, NodeLine] = {}
    if text.is_ahead:  # there can be several without a compilation
        captured = _user_lines(text.graph, roots)
    elif _BACKWARD in code:
        # The text has the innermost line of each node, which may be torch's own.
        known = _recorded_lines(text.lowered, roots)
        if known is None:
            known = _user_lines(text.lowered, roots)
        lowered = {name: line for name, line in known.items() if line.file}
    graph = (
        read_ahead_code(code, text.rest.text() if text.rest else "", text.compile_id, captured)
        if text.is_ahead
        else read_output_code(code, text.compile_id, captured, lowered=lowered)
    )
    # What only a backward pass has is called in comments on C++ as in the post-grad graph.
    graph = with_recorded(graph, text, {**lowered, **captured})
    return dataclasses.replace(graph, file=text.file)


def _captured_lines(graph: GraphPlace | None, roots: Roots) -> Mapping[str, NodeLine]:
    known = _recorded_lines(graph, roots)
    if known is None:
        return node_lines(graph.read_text()) if graph else {}
    return known


def _recorded_lines(graph: GraphPlace | None, roots: Roots) -> Mapping[str, NodeLine] | None:
    """None where no nodes were recorded, or they were cut off: the text may be there."""
    if graph is None or graph.recorded is None:
        return None
    try:
        return recorded_node_lines(stored_record(RecordedGraph, graph.recorded), roots)
    except ValueError:
        return None


def _user_lines(graph: GraphPlace | None, roots: Roots) -> Mapping[str, NodeLine]:
    found = node_lines(graph.read_text()) if graph else {}
    return {name: line for name, line in found.items() if roots.is_user(line.file)}


def _rows(graphs: list[GraphCode]) -> Iterator[KernelRow]:
    by_source: dict[str, list[tuple[int, Kernel]]] = {}
    for index, graph in enumerate(graphs):
        for kernel in graph.kernels:
            by_source.setdefault(kernel.source, []).append((index, kernel))
    for same in by_source.values():
        taken = [(graphs[index], kernel) for index, kernel in same if not graphs[index].alternative]
        launches = sum(graph.launches(kernel.name) for graph, kernel in taken)
        # What the candidates of a graph compute is not what is launched.
        used = [kernel for _, kernel in taken or same]
        nodes = dict.fromkeys(node for kernel in used for node in kernel.nodes)
        first = dataclasses.replace(same[0][1], nodes=tuple(nodes))
        yield KernelRow(first, tuple(index for index, _ in same), launches, not taken)


def _notices(
    run: Run, graphs: list[GraphCode], targets: tuple[tuple[str, GpuTarget], ...], unread: list[str]
) -> Iterator[str]:
    yield from reading_texts(run)
    failed = failed_frames(run)
    if not graphs:
        again = command_again(run, "kernels", "--gpu", "h200")
        why = failed or f"run `{again}` to generate code without a GPU"
        if targets and not failed:
            why = "code generation failed"
        elif not failed and any(process.codes.gpu for process in run.processes):
            why = "no graph reached Inductor; `inspect explain` of this recording shows why"
        yield f"no Inductor code was recorded: {why}"
    elif failed:
        yield f"some code was not compiled: {failed}"
    for compile_id, said in targets:
        if said.error:
            some = any(graph.compile_id == compile_id for graph in graphs)
            which = "only partial code" if some else "no code"
            yield f"graph {compile_id} has {which}: {failed_at(said.error, said.where)}"
        for missing in said.missing:
            why = missing.strip().partition("\n")[0] or "no reason given"
            yield f"an alternative in graph {compile_id} has no code: {why}"
    for text in unread:
        yield f"output code that could not be read: {text}"
