"""Where the compile time of recorded cold starts went."""

import dataclasses

import pytest

from inspector.features.compile_time.cold_start import cold_start
from tests.unit import cold_starts

RECORDED = ("cold", "warm", "config", "pass", "cold_2_11", "config_2_11", "training")


@pytest.mark.parametrize("name", RECORDED)
def test_every_table_adds_up_to_the_same(name: str) -> None:
    run = cold_starts.read(name)
    cold = cold_start(run)

    assert cold.time_ns == sum(process.compile_time_ns for process in run.processes) > 10**9
    assert sum(stage.time_ns for stage in cold.stages) == cold.time_ns
    assert sum(item.time_ns for item in cold.compilations) == cold.time_ns
    assert sum(item.time_ns for item in cold.frames) == cold.time_ns
    assert sum(item.time_ns for item in cold.lines) == cold.time_ns


def test_ranks_are_summed_and_told_apart() -> None:
    run = cold_starts.read("cold")
    both = dataclasses.replace(run, processes=run.processes * 2)
    one, two = cold_start(run), cold_start(both)

    assert two.time_ns == 2 * one.time_ns
    assert [item.processes for item in two.frames] == [(0, 1)]
    assert [item.compilations for item in two.frames] == [2]
