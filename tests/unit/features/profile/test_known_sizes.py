"""Bytes of a graph with dynamic sizes are told only where they are those of the calls."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.fusion import Fusion
from inspector.features.profile.known_sizes import run_again, with_known_sizes
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.run.kernel import GraphCode
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node

CODES = [
    GraphCode("0/0", "forward", "", (), (), "cabc.py"),
    GraphCode("1/1", "forward", "", (), (), "cdef.py"),
]
RELU = node("relu", "aten.relu.default", "x", flops=9)
FIXED = fusion(graph(node("x", ""), RELU), Kernel("k", ("relu",), {"x": SIZE}, {"buf0": SIZE}))


def launched(file: str, line: int, run: int) -> DeviceLaunch:
    return DeviceLaunch("kernel", "k", place=LaunchPlace(file, line, run=run))


def test_a_statement_that_runs_again_is_of_a_graph_that_does() -> None:
    # A library launches several kernels in one run of a statement.
    once = [launched("cabc", 7, 1), launched("cabc", 7, 1), launched("cabc", 8, 2)]
    assert run_again(once, CODES) == frozenset()
    again = [launched("cdef", 7, 3), launched("cdef", 7, 4), launched("", 0, 0)]
    assert run_again([*once, *again], CODES) == {("1/1", "forward")}


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
