"""The operators of every stage, and what became of a line, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.findings.graph_report import Operators
from inspector.graphs.found_node import Relation
from inspector.graphs.line_kernels import KernelAtLine
from inspector.graphs.lookup import Around
from inspector.graphs.operators import OperatorCount


def operators_fields(operators: Operators) -> dict[str, object]:
    """The operators of every stage."""
    return {
        "graphs": [
            {
                "graph": graph.graph,
                "stage": graph.stage.value,
                "total": graph.total,
                "nested": graph.nested,
                "operators": _counts(graph.operators),
                "inside": _counts(graph.inside),
            }
            for graph in operators.graphs
        ],
        "decompositions": [
            {
                "graph": name,
                "operator": item.operator,
                "count": item.count,
                "inlined": item.is_inlined,
                "into": [{"operator": into, "count": times} for into, times in item.into],
            }
            for name, found in operators.decompositions
            for item in found
        ],
        "not_inductors": [
            {
                "graph": name,
                "call": item.step.name,
                "node": item.node.name,
                "why": item.why.value,
                "library": item.library or None,
            }
            for name, found in operators.outside
            for item in found
        ],
    }


def _counts(operators: Iterable[OperatorCount]) -> list[dict[str, object]]:
    return [
        {
            "operator": item.operator,
            "kind": item.kind.value,
            "count": item.count,
            "backward": item.backward,
        }
        for item in operators
    ]


def line_fields(around: Around) -> dict[str, object]:
    """What became of a line."""
    return {
        "asked_file": around.asked,
        "files": list(around.files),
        "line": around.line,
        "nodes": [
            {
                "graph": found.graph.name,
                "stage": found.graph.stage.value,
                "id": found.graph.id_of(found.node),
                "name": found.node.name,
                "relation": found.relation.value,
                "backward": found.is_backward,
            }
            for found in around.nodes
        ],
        "forward_kernels": _kernels(around.forward) + _named(around, is_backward=False),
        "backward_kernels": _kernels(around.backward) + _named(around, is_backward=True),
        "nearest_lines": list(around.nearest),
        "known_files": list(around.known_files),
    }


def _kernels(kernels: Iterable[KernelAtLine]) -> list[dict[str, object]]:
    return [
        {
            "graph": kernel.fusion.name,
            "kernel": kernel.step.name,
            "bytes": None if kernel.is_again else kernel.step.bytes_,
            "part": kernel.part or None,
            "again": kernel.is_again,
            "shared": kernel.is_shared,
            "relation": kernel.relation.value,
            "nodes": [found.node.name for found in kernel.nodes],
        }
        for kernel in kernels
    ]


def _named(around: Around, *, is_backward: bool) -> list[dict[str, object]]:
    return [
        {
            "graph": item.graph,
            "kernel": item.kernel,
            "bytes": None,
            "part": None,
            "again": False,
            "shared": item.is_shared,
            "relation": Relation.DIRECT.value,
            "nodes": list(item.nodes),
        }
        for item in around.named
        if item.is_backward is is_backward
    ]
