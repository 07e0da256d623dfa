"""Bytes of a graph with dynamic sizes are told only where they are those of the calls."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion
from inspector.features.profile.known_sizes import with_known_sizes
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

RELU = node("relu", "aten.relu.default", "x", flops=9)
FIXED = fusion(graph(node("x", ""), RELU), Kernel("k", ("relu",), {"x": SIZE}, {"buf0": SIZE}))


@pytest.mark.parametrize(
    ("hints", "again", "is_one_input", "is_known"),
    [
        ({"s0": 4}, (), True, True),
        ({"s0": 4}, (), False, False),
        ({"s0": 4}, (("0/0", "forward"),), True, False),
        # Without dynamic sizes all runs are alike.
        ({}, (("0/0", "forward"),), False, True),
    ],
)
def test_bytes_are_there_where_they_are_those_of_each_run(
    hints: dict[str, int],
    again: tuple[tuple[str, str], ...],
    is_one_input: bool,  # noqa: FBT001
    is_known: bool,  # noqa: FBT001
) -> None:
    made: Fusion = dataclasses.replace(FIXED, hints=hints)
    (found,) = with_known_sizes([made], frozenset(again), is_one_input=is_one_input)
    (step,) = found.steps
    assert (step.bytes_, step.flops) == ((2 * SIZE, 9) if is_known else (None, None))
