"""Where the compile time of recorded cold starts went."""

from __future__ import annotations

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


def test_what_runs_in_a_cold_start_and_not_in_a_warm_one() -> None:
    cold, warm = (
        {stage.stage for stage in cold_start(cold_starts.read(name)).stages}
        for name in ("cold", "warm")
    )

    assert cold - warm == {
        "AOTAutograd", "C++ vector check", "Inductor passes", "code generation", "lowering",
        "scheduling",
    }  # fmt: skip
    assert warm <= cold


def test_forward_and_backward_of_functions_that_a_break_splits() -> None:
    cold = cold_start(cold_starts.read("training"))

    assert [(i.compile_id, i.is_backward, i.name) for i in cold.compilations] == [
        ("0/0", False, "forward"),
        ("1/0", False, "torch_dynamo_resume_in_forward_at_9"),
        ("1/0", True, "torch_dynamo_resume_in_forward_at_9"),
        ("0/0", True, "forward"),
    ]
    assert [(item.line, item.compilations) for item in cold.frames] == [(7, 1), (9, 1)]


def test_the_caches_of_a_warm_start() -> None:
    uses = {use.cache: use for use in cold_start(cold_starts.read("warm")).caches}

    assert {name: (use.hits, use.misses) for name, use in uses.items()} == {
        "AOTAutograd": (1, 0), "FX graph": (2, 0), "C++": (None, 1),
    }  # fmt: skip
    assert uses["AOTAutograd"].saved_ns == 12_874_000_000


def test_questions_to_the_compiler_are_no_kernels_that_were_missing() -> None:
    cold = cold_start(cold_starts.read("cold"))
    (files,) = (use.misses for use in cold.caches if use.cache == "C++")

    assert (cold.vector_checks, files) == (6, 3)


def test_ranks_are_summed_and_told_apart() -> None:
    run = cold_starts.read("cold")
    both = dataclasses.replace(run, processes=run.processes * 2)
    one, two = cold_start(run), cold_start(both)

    assert two.time_ns == 2 * one.time_ns
    assert [item.processes for item in two.frames] == [(0, 1)]
    assert [item.compilations for item in two.frames] == [2]
