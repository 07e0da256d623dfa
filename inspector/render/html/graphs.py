"""Graphs as columns, with numbers in place of what repeats."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.render.html.strings import Strings, named

Json = dict[str, Any]

_STEP_X, _STEP_Y = 190, 76
_SWEEPS = 6
_MAX_PLACED = 1_000
"""Kernels in one drawing; a larger graph is shown as a list."""


def graph_columns(graph: Json, files: Strings) -> Json:
    """A graph of the JSON report, its nodes as columns; their files are added to the page's.

    Returns:
        One list per column. ``name`` and ``earlier`` are as `named` writes them, the latter with
        ``earlier_count`` per node; ``inputs`` count back from the node; ``stack`` is a place in
        ``stacks``, which has places in ``frames`` (file, line, function), innermost last.
    """
    nodes: Sequence[Json] = graph["nodes"]
    place = {node["name"]: number for number, node in enumerate(nodes)}
    texts = Strings()
    frames: dict[tuple[int, int, int], int] = {}
    stacks: dict[tuple[int, ...], int] = {}

    def frame(item: Json) -> int:
        key = (files.number(item["file"]), item["line"], texts.number(item["name"] or ""))
        return frames.setdefault(key, len(frames))

    columns: Json = {
        "name": named((node["name"] for node in nodes), texts),
        "op": [texts.number(node["op"]) for node in nodes],
        "target": [texts.number(node["target"]) for node in nodes],
        "inputs": [
            [number - place[name] for name in node["inputs"] if name in place]
            for number, node in enumerate(nodes)
        ],
        "tensor": [texts.number(_tensors(node["tensors"])) for node in nodes],
        "dtype": [
            texts.number(next((str(item["dtype"]) for item in node["tensors"]), ""))
            for node in nodes
        ],
        "bytes": [node["bytes"] for node in nodes],
        "flops": [node["flops"] for node in nodes],
        "stack": [
            stacks.setdefault(tuple(map(frame, node["stack"])), len(stacks)) for node in nodes
        ],
        "module": [
            texts.number(str(node["modules"][-1]["path"]) if node["modules"] else "")
            for node in nodes
        ],
        "aten": [texts.number(node["original_aten"] or "") for node in nodes],
        "earlier": named((name for node in nodes for name in node["earlier_names"]), texts),
        "earlier_count": [len(node["earlier_names"]) for node in nodes],
        "kernels": [[texts.number(name) for name in node["kernels"]] for node in nodes],
        "backward": [number for number, node in enumerate(nodes) if node["backward"]],
        "saved": [number for number, node in enumerate(nodes) if node["saved_for_backward"]],
    }
    tables = {"texts": texts.texts(), "frames": list(frames), "stacks": list(stacks)}
    return {**columns, **tables}


def fusion_steps(fusion: Json, places: Mapping[str, int], work: Sequence[Json]) -> Json:
    """The kernels of a graph in order, with the nodes that they compute and their times.

    Args:
        places: The places of the post-grad graph's nodes, by name.
        work: What a profile measured of the same graph, in order; nothing where nobody did.
    """
    timed = work if len(work) == len(fusion["kernels"]) else ()
    steps = []
    for number, kernel in enumerate(fusion["kernels"]):
        step = {
            "name": kernel["name"],
            "kind": kernel["kind"],
            "nodes": [places[name] for name in kernel["operators"] if name in places],
            "reads": kernel["reads"],
            "writes": kernel["writes"],
            **{key: kernel[key] for key in ("bytes", "bytes_moved", "bytes_eager", "flops")},
            "never_in_memory": kernel["never_in_memory"],
        }
        if timed:
            found = timed[number]
            step["work"] = {key: found.get(key) for key in _WORK}
        steps.append(step)
    buffers = {item["name"]: f"{item['dtype']}{item['shape']}" for item in fusion["buffers"]}
    layout = _placed(fusion["kernels"][:_MAX_PLACED])
    return {
        "steps": steps, "not_fused": fusion["not_fused"], "buffers": buffers, "layout": layout,
    }  # fmt: skip


_WORK = (
    "time_ns", "p5_ns", "p95_ns", "bytes_per_s", "flops_per_s", "bound", "share_of_ceiling",
    "launches",
)  # fmt: skip


def _tensors(tensors: Sequence[Json]) -> str:
    return ", ".join(
        f"{item['dtype']}[{', '.join(map(str, item['shape']))}]" for item in tensors[:4]
    ) + (", …" if len(tensors) > 4 else "")  # noqa: PLR2004


def _placed(steps: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Places the kernels of a graph: in layers along the data, those of a layer side by side.

    Longest-path layers and barycenters, as Sugiyama, Tagawa and Toda describe them (IEEE Trans. SMC
    11, 1981): a graph of fused kernels is long and narrow, and hundreds of its nodes are placed in
    milliseconds without a dependency.

    Returns:
        ``x`` and ``y`` by kernel in pixels; ``edges`` as (from, to, buffer); ``width``, ``height``.
    """
    writer: dict[str, int] = {}
    edges: list[tuple[int, int, str]] = []
    for number, step in enumerate(steps):
        edges += [(writer[name], number, name) for name in step["reads"] if name in writer]
        writer |= dict.fromkeys(step["writes"], number)
    sources: list[list[int]] = [[] for _ in steps]
    users: list[list[int]] = [[] for _ in steps]
    for first, second, _ in edges:
        sources[second].append(first)
        users[first].append(second)
    depth = [0] * len(steps)
    for number in range(len(steps)):
        depth[number] = max((depth[item] + 1 for item in sources[number]), default=0)
    layers: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for number, layer in enumerate(depth):
        layers[layer].append(number)
    column = _columns(layers, sources, users)
    widest = max(map(len, layers), default=0)
    # Layers are centered.
    left = {number: (widest - len(layer)) / 2 for layer in layers for number in layer}
    x = [round((column[number] + left[number]) * _STEP_X) for number in range(len(steps))]
    return {
        "x": x,
        "y": [layer * _STEP_Y for layer in depth],
        "edges": edges,
        "width": widest * _STEP_X,
        "height": len(layers) * _STEP_Y,
    }


def _columns(
    layers: list[list[int]], sources: Sequence[Sequence[int]], users: Sequence[Sequence[int]]
) -> dict[int, int]:
    """The place of each node in its layer, after sweeps down and up."""
    column = {number: place for layer in layers for place, number in enumerate(layer)}
    for sweep in range(_SWEEPS):
        near = users if sweep % 2 else sources
        for layer in reversed(layers) if sweep % 2 else layers:
            keys = {
                number: sum(column[item] for item in near[number]) / len(near[number])
                if near[number]
                else column[number]
                for number in layer
            }
            layer.sort(key=keys.__getitem__)
            column |= {number: place for place, number in enumerate(layer)}
    return column
