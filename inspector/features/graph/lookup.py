"""From a line of the user's to what became of it in every stage."""

import dataclasses
from collections.abc import Iterable, Mapping

from inspector.features.graph.fusion import Fusion
from inspector.features.graph.line_kernels import FoundNode, KernelAtLine, Relation, kernels_at_line
from inspector.run.graph import Graph
from inspector.shared.stack import StackFrame

_MOST_NEAR = 4
# What functionalisation makes of a change in place: it belongs to what it writes, not to whoever
# reads it next.
_WRITES = ("_scatter", "copy_", "copy")


@dataclasses.dataclass(frozen=True, slots=True)
class Around:
    """Nodes and kernels that come from a source line.

    Attributes:
        files: The files that matched the name, as spelled in the recording.
        asked: The requested file name.
        nearest: Nearest lines with nodes, if nothing comes from the requested line.
        known_files: Files with nodes, if nothing comes from the requested file.
    """

    files: tuple[str, ...]
    line: int
    nodes: tuple[FoundNode, ...]
    kernels: tuple[KernelAtLine, ...]
    asked: str = ""
    nearest: tuple[int, ...] = ()
    known_files: tuple[str, ...] = ()

    @property
    def forward(self) -> tuple[KernelAtLine, ...]:
        """The kernels of the forward pass, or of inference."""
        return tuple(kernel for kernel in self.kernels if not kernel.is_backward)

    @property
    def backward(self) -> tuple[KernelAtLine, ...]:
        """The kernels of the backward pass."""
        return tuple(kernel for kernel in self.kernels if kernel.is_backward)


def origins(graph: Graph) -> Mapping[str, tuple[tuple[StackFrame, ...], bool]]:
    """The user's frames of each node by its name, and whether they are a neighbour's.

    Inductor's passes make nodes without a stack (a softmax that is divided first, a random seed):
    such a node has that of the first node behind it that has one, else of the last before it.
    """
    before: dict[str, tuple[StackFrame, ...]] = {}
    for node in graph.nodes:
        taken = (before.get(name, ()) for name in reversed(node.inputs))
        before[node.name] = node.stack or next(filter(None, taken), ())
    behind: dict[str, tuple[StackFrame, ...]] = {}
    for node in reversed(graph.nodes):
        stack = node.stack or behind.get(node.name, ())
        if stack:
            behind |= dict.fromkeys(node.inputs, stack)
    found = {}
    for node in graph.nodes:
        is_write = any(part.endswith(_WRITES) for part in node.target.split(".")[:2])
        order = (before, behind) if is_write else (behind, before)
        neighbours = next(filter(None, (each.get(node.name, ()) for each in order)), ())
        found[node.name] = node.stack or neighbours, not node.stack
    return found


def is_same_file(asked: str, file: str) -> bool:
    """Whether a recorded file is the asked one: ``model.py``, ``src/model.py`` or all of it."""
    wanted, parts = (path.replace("\\", "/").split("/") for path in (asked, file))
    wanted = wanted[1:] if wanted[0] == "." else wanted
    return bool(wanted[-1]) and parts[-len(wanted) :] == wanted


def around_line(graphs: Iterable[Graph], fusions: Iterable[Fusion], file: str, line: int) -> Around:
    """What became of a line in every stage."""
    files: dict[str, None] = {}
    graphs = list(graphs)
    nodes = [found for graph in graphs for found in _at_line(graph, file, line, files)]
    kernels: list[KernelAtLine] = []
    for fusion in fusions:
        found = {item.node.name: item for item in _at_line(fusion.graph, file, line, files)}
        kernels += kernels_at_line(fusion, found)
    nearest, known = ((), ()) if nodes else _instead(graphs, file, line)
    return Around(tuple(files), line, tuple(nodes), tuple(kernels), file, nearest, known)


def _instead(
    graphs: Iterable[Graph], file: str, line: int
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The lines of a file next to one from which something comes, or else the files."""
    places = {
        (frame.file, frame.line)
        for graph in graphs
        for node in graph.nodes
        if node.is_compute
        for frame in node.stack
    }
    lines = {number for found, number in places if is_same_file(file, found)}
    near = sorted(lines, key=lambda number: (abs(number - line), number))[:_MOST_NEAR]
    return tuple(sorted(near)), () if lines else tuple(sorted({found for found, _ in places}))


def _at_line(graph: Graph, file: str, line: int, files: dict[str, None]) -> list[FoundNode]:
    known = origins(graph)
    found = []
    for node in filter(lambda node: node.is_compute, graph.nodes):
        stack, is_derived = known[node.name]
        places = [
            number
            for number, frame in enumerate(stack)
            if covers(frame, line) and is_same_file(file, frame.file)
        ]
        if places:
            files.setdefault(stack[places[-1]].file)
            is_direct = places[-1] == len(stack) - 1
            relation = Relation.DIRECT if is_direct else Relation.THROUGH
            found.append(FoundNode(graph, node, Relation.DERIVED if is_derived else relation))
    return found


def covers(frame: StackFrame, line: int) -> bool:
    """Whether a line is one of the statement's."""
    return frame.line <= line <= (frame.end_line or frame.line)
