"""Reports on profiles that no snapshot shows, and their other files."""

import dataclasses
import json
from typing import Any

import pytest

from inspector.features.profile.report import make_profile_report
from inspector.features.profile.timeline import timeline
from inspector.records.device_profile import CountedKernel
from tests.unit.render.profile_reports import (
    MIB,
    SLOWER,
    artifact,
    logged,
    memory_of_cuda_graphs,
    memory_report,
    profile,
    report,
    slower,
)
from tests.unit.render.rendering import as_json, rendered


def test_parts_of_a_slowdown_add_up() -> None:
    gap = as_json(slower())["profiles"][0]["compiled_less_eager"]
    assert gap["whole_ns"] == 30_000
    assert sum(part["more_ns"] for part in gap["parts"]) + gap["rest_ns"] == pytest.approx(30_000)
    # That of what is faster is in the JSON report alone.
    found = report(profile(**{**SLOWER, "eager_ns": [170_000] * 30}))
    assert "Slowdown" not in rendered(found, "terminal")


def test_memory_adds_up() -> None:
    made = as_json(memory_of_cuda_graphs())["profiles"][0]["memory"]["compiled"]
    assert made["peak_bytes"] == 14 * MIB
    assert sum(row["bytes"] for row in made["at_peak"]) == made["peak_bytes"]


@pytest.mark.parametrize(
    ("records", "settings", "is_cut"),
    [
        (["call"], {"profile": True}, True),
        (["end"], {"profile": True}, False),
        (["call"], {"measure": False}, False),
        (["profile"], {"profile": True}, True),
        (["profile", "end"], {"profile": True}, False),
    ],
)
def test_a_log_that_ends_too_early_is_no_recording_without_a_profile(
    records: list[str], settings: dict[str, object], *, is_cut: bool
) -> None:
    known = {
        "call": artifact("call", {"v": 1, "input": 0, "call": 0, "state": "begin"}),
        "end": artifact("end", {"v": 1}),
        "profile": artifact("device_profile", profile()),
    }
    run = logged(*(known[name] for name in records))
    run = dataclasses.replace(run, meta=dataclasses.replace(run.meta, settings=settings))
    text = " ".join(rendered(make_profile_report(run), "terminal").split())
    assert ("the log ends early" in text) is is_cut
    assert ("the recording has no profile" in text) is ("profile" not in records and not is_cut)


@pytest.mark.parametrize(("name", "is_said"), [("another", True), ("triton_poi_fused_0", False)])
def test_kernels_without_counters_are_counted(name: str, *, is_said: bool) -> None:
    run = logged(artifact("device_profile", profile()))
    notices = make_profile_report(run, [CountedKernel(name, {"x": 1.0})]).notices
    said = "1 of 1 kernels have no hardware counters"
    assert any(said in text for text in notices) is is_said


ODD_MEMORY: list[Any] = [
    {},
    {"compiled": 7},
    {"compiled": {}},
    {"compiled": {"events": [[1], "x", [1, 2, 3, 4], [1, -9, 77, 0], [1 << 70, 1, 0, 0]]}},
    {"compiled": {"held": [[1, 2], [None, 1, "x"], [5, 5, [1]]], "segments": [9, [1, -2, 1]]}},
    {"compiled": {"stats": {"reserved_peak": "many"}, "left": [[1, "x", "y", 3, 4], 5]}},
    {"compiled": {"events": [[1, 5, 0, 0]], "places": [{"line": -4, "frames": 5}]}, "eager": 1},
]


@pytest.mark.parametrize("odd", [None, *ODD_MEMORY])
def test_damaged_profiles_are_read_as_far_as_they_go(odd: dict[str, Any] | None) -> None:
    if odd is None:
        damaged = profile(launches=[{"kind": 7}, None], calls=[{"spans_ns": [[1]]}, 9], idle_ns=[1])
        found = report(damaged, {"v": 1})
        assert len(found.profiles) == 2
    else:
        found = memory_report(**odd)
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_a_call_is_a_file_for_perfetto() -> None:
    worked = [["triton_poi_fused_0", 7, 20_000, 30_500]]
    (found,) = report(profile(worked=worked)).profiles
    made = json.loads(timeline(found.profile, "model.py"))
    names = {event["args"]["name"] for event in made["traceEvents"] if event["ph"] == "M"}
    assert names >= {"host", "NVIDIA H200", "thread 1", "stream 7"}
    events = [event for event in made["traceEvents"] if event["ph"] == "X"]
    assert events == [
        {"ph": "X", "name": "TorchDynamo Cache Lookup", "pid": 1, "tid": 1, "ts": 0.005,
         "dur": 0.004},
        {"ph": "X", "name": "triton_poi_fused_0", "pid": 2, "tid": 7, "ts": 20.0, "dur": 10.5},
    ]  # fmt: skip
