"""How a report says what became of a line, the same in every format."""

from __future__ import annotations

from inspector.findings.graph_wording import shape_text
from inspector.graphs.lookup import Around, FoundNode, KernelAtLine, Relation
from inspector.graphs.operators import shown_operator

__all__ = ["kernel_blocks", "kernel_line", "no_line", "node_line"]


def no_line(around: Around) -> str:
    """What is said where nothing comes from the line."""
    return f"Nothing in the recording comes from line {around.line} of {around.asked}."


def node_line(found: FoundNode) -> tuple[str, str]:
    """A node's name, and its operator with what it gives, its module and how it belongs there."""
    node = found.node
    tensors = ", ".join(map(shape_text, node.tensors))
    parts = [f"{shown_operator(node)} {tensors}".rstrip()]
    parts += [f"in {node.module}"] if node.module else []
    how = "" if found.relation is Relation.DIRECT else f" ({found.relation.value})"
    return node.name, " · ".join(parts) + how


def kernel_blocks(around: Around) -> tuple[tuple[str, tuple[KernelAtLine, ...]], ...]:
    """The kernels of both passes, each with a title."""
    return (
        ("kernels of the forward pass", around.forward),
        ("kernels of the backward pass", around.backward),
    )


def kernel_line(kernel: KernelAtLine) -> tuple[str, str]:
    """A kernel's name, and its nodes that belong to the line."""
    return kernel.step.name, ", ".join(found.node.name for found in kernel.nodes)
