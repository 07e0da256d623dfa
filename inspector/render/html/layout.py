"""Places the kernels of a graph: in layers along the data, those of a layer beside each other.

Longest-path layers and barycenters, as Sugiyama, Tagawa and Toda describe them (IEEE Trans. SMC 11,
1981): a graph of fused kernels is long and narrow, and hundreds of its nodes are placed in
milliseconds without a dependency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_STEP_X, _STEP_Y = 190, 76
_SWEEPS = 6
MAX_PLACED = 1_000
"""Kernels in one drawing; a larger graph is shown as a list."""


def placed(steps: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Where each kernel is drawn, and the buffers between kernels.

    Args:
        steps: The kernels in order, each with the buffers that it ``reads`` and ``writes``.

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
