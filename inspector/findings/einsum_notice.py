"""That the order of an einsum's contractions is that of a package which the GPU machine needs."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.graphs.operators import shown_operator
from inspector.graphs.reading import read_graphs
from inspector.model.graph import Graph, Stage
from inspector.model.run import Run

_FEWEST_OPERANDS = 3  # two have one order (torch/functional.py, `einsum`, 2.11 to 2.13)


def einsum_notices(run: Run) -> Iterator[str]:
    """Of code for a GPU that is not here, where a captured graph has such an einsum."""
    for process in run.processes:
        if not process.codes.gpu:
            continue
        graphs, _ = read_graphs(process.graphs.places, run.roots, frozenset({Stage.DYNAMO}))
        if any(map(_has_einsum, graphs)):
            version = process.versions.get("opt_einsum")
            which = f"here it is {version}" if version else "it is not installed here"
            yield (
                "opt_einsum picks the contraction order of einsum: the GPU machine needs the same "
                f"({which})"
            )
            return


def _has_einsum(graph: Graph) -> bool:
    return any(
        shown_operator(node).rpartition(".")[2] == "einsum" and len(node.inputs) >= _FEWEST_OPERANDS
        for node in graph.nodes
    )
