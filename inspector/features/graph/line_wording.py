"""How a report says what became of a line, the same in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing import labels
from inspector.features.graph.line_kernels import FoundNode, KernelAtLine, Relation
from inspector.features.graph.lookup import Around, is_same_file
from inspector.features.graph.operators import shown_operator
from inspector.report.wording import listed, size
from inspector.run.graph import Stage
from inspector.run.run import Run
from inspector.shared.stack import StackFrame

_MOST_FILES = 8


def no_line(run: Run, around: Around) -> str:
    """What is said where nothing comes from the line."""
    text = f"Nothing in the recording comes from {around.asked}:{around.line}."
    if around.nearest:
        noun = "line" if len(around.nearest) == 1 else "lines"
        text += f" Something comes from {noun} {', '.join(map(str, around.nearest))} of it."
    elif around.known_files:
        files = [run.roots.shown(file) for file in around.known_files]
        text += f" What it has comes from {listed(files, _MOST_FILES)}."
    return text


def break_sentences(run: Run, around: Around) -> tuple[str, ...]:
    """Each graph break at the line, and who explains it."""
    found: dict[str, None] = {}
    for record in (record for item in run.compilations for record in item.graph_breaks):
        frames = (record.user, record.project)
        if any(frame is not None and _is_at(around, frame) for frame in frames):
            kind = f"{record.cause.gb_id}: " if record.cause.gb_id else ""
            text = f"The graph breaks here ({kind}{record.cause.title.rstrip('.')})"
            found[f"{text}: `inspect explain` shows why, and how to fix it."] = None
    return tuple(found)


def _is_at(around: Around, frame: StackFrame) -> bool:
    is_there = frame.line <= around.line <= (frame.end_line or frame.line)
    return is_there and is_same_file(around.asked, frame.file)


def node_blocks(around: Around) -> list[tuple[str, list[tuple[str, str]]]]:
    """The nodes of each stage; stages with the same ones are named together."""
    blocks: list[tuple[str, list[tuple[str, str]]]] = []
    for stage in Stage:
        rows = [_node_line(found) for found in around.nodes if found.graph.stage is stage]
        if rows and blocks and blocks[-1][1] == rows:
            blocks[-1] = f"{blocks[-1][0]}, {stage.value}", rows
        elif rows:
            blocks.append((stage.value, rows))
    return blocks


def _node_line(found: FoundNode) -> tuple[str, str]:
    """A node's name, and its operator with what it gives, its module and how it belongs there."""
    node = found.node
    tensors = ", ".join(map(labels.shape, node.tensors))
    parts = [f"{shown_operator(node)} {tensors}".rstrip()]
    parts += [f"in {node.module}"] if node.module else []
    if found.relation is Relation.THROUGH:
        parts.append(f"called from here, at {labels.line(node.line)}")
    elif found.relation is Relation.DERIVED:
        parts.append("made by a pass, for what comes from here")
    return node.name, " · ".join(parts)


def kernel_blocks(around: Around) -> list[tuple[str, list[tuple[str, str]]]]:
    """The kernels of both passes, each with a title."""
    titled = (
        ("kernels of the forward pass", around.forward),
        ("kernels of the backward pass", around.backward),
    )
    return [(title, list(_kernel_lines(kernels))) for title, kernels in titled if kernels]


def _kernel_lines(kernels: Sequence[KernelAtLine]) -> Iterator[tuple[str, str]]:
    """A kernel's number and name, and its bytes with its nodes that belong to the line."""
    is_one = len({kernel.graph for kernel in kernels}) == 1
    for kernel in kernels:
        graph = "" if is_one else f"{kernel.graph} "
        number = f"#{kernel.number} " if kernel.number else ""
        shared = "with other lines" if kernel.is_shared else ""
        parts = [_computed(kernel), shared]
        if kernel.bytes_ is not None:
            moved = ", ".join(filter(None, (size(kernel.bytes_), shared)))
            parts = [moved, _computed(kernel)]
        yield f"{graph}{number}{kernel.kernel}", " · ".join(filter(None, parts))


def _computed(kernel: KernelAtLine) -> str:
    names = ", ".join(kernel.nodes)
    if kernel.part:
        return f"{kernel.part} ({names})"
    return f"computes {names} again; its bytes count for other lines" if kernel.is_again else names
