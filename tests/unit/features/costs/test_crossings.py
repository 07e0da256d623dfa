"""What crosses a break can be computed from the graphs' texts, and is what calls show."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inspector.features.costs.blame import Breaks, computed_crossings
from inspector.features.costs.sites import site_costs
from inspector.features.overview.cost_wording import cost_lines
from inspector.run.cost import CostKind
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run


@pytest.fixture(scope="module")
def run(root: Path) -> Run:
    with opened(root / "samples" / "graph_breaks" / "recording.zip") as recording:
        return read_run(recording)


def test_it_is_what_the_measured_calls_show(run: Run) -> None:
    (process,) = run.processes
    computed = computed_crossings(process, Breaks(process))
    measured = site_costs(run)

    assert len(measured) == 5
    assert {site: item.size_bytes for site, item in computed.items()} == {
        site: cost.crossing_bytes for site, cost in measured.items()
    }
    assert {site: item.fusible_bytes for site, item in computed.items()} == {
        site: cost.fusible_bytes for site, cost in measured.items()
    }


def test_without_a_measured_call_the_bytes_are_known_and_the_time_is_not(run: Run) -> None:
    (process,) = run.processes
    plain = dataclasses.replace(process, recorded={})
    costs = site_costs(dataclasses.replace(run, processes=(plain,)))

    assert {cost.kind for cost in costs.values()} == {CostKind.UNKNOWN}
    assert all(cost.crossing_bytes for cost in costs.values())
    lines = cost_lines(next(iter(costs.values())))
    assert lines[0] == "unknown: no warm call was measured"
    assert "is passed to the next graph" in lines[1]


def test_where_no_call_was_warm_the_time_of_what_crosses_is_computed(run: Run) -> None:
    (process,) = run.processes
    cold = tuple(
        dataclasses.replace(profile, compiled=tuple(range(100))) for profile in process.profiles
    )
    costs = site_costs(dataclasses.replace(run, processes=(process.with_records(*cold),)))
    computed = [cost for cost in costs.values() if cost.kind is CostKind.COMPUTED]

    assert len(computed) == sum(bool(cost.fusible_bytes) for cost in costs.values()) > 0
    assert all(cost.cost_ns == cost.crossing_ns for cost in computed)
    assert "computed only from the bytes passed to the next graph" in cost_lines(computed[0])[0]


def test_code_that_is_called_on_its_own_is_not_behind_a_break(run: Run) -> None:
    (process,) = run.processes
    alone = tuple(
        dataclasses.replace(
            frame,
            name=f"other_{frame.frame_id}",
            compilations=tuple(
                dataclasses.replace(item, stack=item.stack[-1:]) for item in frame.compilations
            ),
        )
        for frame in process.frames
    )
    process = dataclasses.replace(process, frames=alone)
    assert computed_crossings(process, Breaks(process)) == {}
