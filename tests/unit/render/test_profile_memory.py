"""The memory of a call in reports on profiles, in every format."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.profile.report import ProfileReport, make_profile_report
from tests.unit.logs import record, run_of
from tests.unit.render import hostile

SCHEMA = schema_of("profile")
WIDTH = 80
MIB = 1 << 20
TIMED = {
    "v": 1,
    "input": 0,
    "device": {"kind": "cuda", "name": "NVIDIA H200"},
    "plain_ns": [100_000] * 30,
    "watched_ns": [130_000] * 30,
    "launches": [{"kind": "kernel", "name": "k", "replayed": True}],
    "calls": [{"wall_ns": 130_000, "spans_ns": [[1, 2]]}] * 3,
}
HELD = [[MIB, 4 * MIB, "parameter"], [6 * MIB, MIB, "input"], [8 * MIB, 2 * MIB, ""]]
PLACES = [
    {"operator": "aten::relu", "frames": ["/p/model.py(4): forward"]},
    {"operator": "aten::mm", "frames": ["/p/model.py(5): forward"]},
]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def side(**changes: Any) -> dict[str, Any]:
    """4 MiB of parameters and 1 MiB of input; a call that adds 6 MiB in a segment of its own."""
    reserved = [10 * MIB, 20 * MIB]
    return {
        "events": [
            [32 * MIB, 4 * MIB, 0, sum(reserved)],
            [36 * MIB, 2 * MIB, 1, sum(reserved)],
            [32 * MIB, -4 * MIB, -1, sum(reserved)],
        ],
        "places": PLACES,
        "held": HELD,
        "segments": [[MIB, 10 * MIB, False], [32 * MIB, 20 * MIB, False]],
        "stats": {
            "allocated_before": 7 * MIB,
            "allocated_peak": 13 * MIB,
            "reserved_before": 10 * MIB,
            "reserved_peak": 30 * MIB,
        },
        **changes,
    }


POOL = [64 * MIB, 40 * MIB, True]
REPLAYED = side(
    events=[],
    segments=[[MIB, 10 * MIB, False], POOL],
    stats={
        "allocated_before": 7 * MIB,
        "allocated_peak": 7 * MIB,
        "reserved_before": 50 * MIB,
        "reserved_peak": 50 * MIB,
    },
)
CAPTURED = side(
    events=[[64 * MIB, 3 * MIB, 1, 0], [68 * MIB, 5 * MIB, 0, 0], [64 * MIB, -3 * MIB, -1, 0]],
    held=[[90 * MIB, MIB, ""]],
    segments=[POOL],
)


def memory(**changes: Any) -> dict[str, Any]:
    return {"v": 1, "input": 0, "device": "cuda", "compiled": side(), "eager": side(), **changes}


def report(tmp_path: Path, *memories: object, timed: dict[str, Any] | None = None) -> ProfileReport:
    def artifact(name: str, payload: object) -> bytes:
        head = {"name": f"inspector_{name}", "encoding": "json"}
        return record("artifact", head, payload=json.dumps(payload))

    records = [artifact("device_profile", timed or TIMED)]
    records += [artifact("memory_profile", item) for item in memories]
    return make_profile_report(run_of(tmp_path, *records))


def rendered(found: ProfileReport, name: str) -> str:
    stream = io.StringIO()
    plugins.render(found, name, stream)
    return stream.getvalue()


def as_json(found: ProfileReport) -> Any:
    made = json.loads(rendered(found, "json"))
    jsonschema.validate(made, SCHEMA)
    return made["profiles"][0]["memory"]


def test_the_memory_of_cuda_graphs_is_the_compiled_side_s(tmp_path: Path) -> None:
    eager = side(segments=[[MIB, 10 * MIB, False], [32 * MIB, 20 * MIB, False], POOL])
    eager["events"] = [[*event[:3], event[3] + 40 * MIB] for event in eager["events"]]
    eager["stats"] = {**eager["stats"], "reserved_before": 50 * MIB, "reserved_peak": 70 * MIB}
    found = report(tmp_path, memory(compiled=REPLAYED, eager=eager, captured=CAPTURED))
    made = as_json(found)
    # 1 MiB that was in the pool, 3 and 5 that the capture allocates.
    assert made["compiled"]["cuda_graphs_bytes"] == 9 * MIB
    assert made["compiled"]["peak_bytes"] == 14 * MIB
    assert made["eager"]["peak_bytes"] == 11 * MIB
    assert made["eager"]["reserved_bytes"] == 30 * MIB
    assert made["compiled"]["reserved_bytes"] == 10 * MIB
    assert made["eager"]["reserved_at_peak_bytes"] == 30 * MIB
    rows = {(row["what"], row["cuda_graph"]): row["bytes"] for row in made["compiled"]["at_peak"]}
    assert rows["pool", True] == MIB
    assert rows["parameter", False] == 4 * MIB
    words = " ".join(rendered(found, "terminal").split())
    assert "Peak memory 14 MiB, 11 MiB in eager (+27%)" in words
    page = rendered(found, "markdown").replace("\\", "")
    assert "used by CUDA graphs: 9.0 MiB at most, of 40 MiB that they keep between calls" in page
    assert "reserved at most: 50 MiB compiled (40 MiB of it by CUDA graphs), 30 MiB" in page
    assert "up to 40 MiB: CUDA graphs keep what they have reserved between calls" in words


def test_what_the_profiler_did_not_see_is_said(tmp_path: Path) -> None:
    compiled = side()
    compiled["stats"] = {**compiled["stats"], "allocated_peak": 15 * MIB, "retries": 2}
    found = report(tmp_path, memory(compiled=compiled))
    made = as_json(found)
    assert made["compiled"]["not_seen_bytes"] == 2 * MIB
    assert made["compiled"]["added_bytes"] == 8 * MIB
    page = rendered(found, "markdown")
    assert "not seen: 2.0 MiB of the peak" in page
    assert "2 times the allocator gave back what it kept" in page


@pytest.mark.parametrize(
    "odd",
    [
        {},
        [],
        {"compiled": 7},
        {"compiled": {}},
        {"compiled": {"events": [[1], "x", [1, 2, 3, 4], [1, -9, 77, 0], [1 << 70, 1, 0, 0]]}},
        {"compiled": {"held": [[1, 2], [None, 1, "x"], [5, 5, [1]]], "segments": [9, [1, -2, 1]]}},
        {"compiled": {"stats": {"reserved_peak": "many"}, "left": [[1, "x", "y", 3, 4], 5]}},
        {"compiled": {"events": [[1, 5, 0, 0]], "places": [{"line": -4, "frames": 5}]}, "eager": 1},
    ],
)  # fmt: skip
def test_damaged_profiles_are_read_as_far_as_they_go(tmp_path: Path, odd: object) -> None:
    found = report(tmp_path, odd)
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_names_stay_text(tmp_path: Path) -> None:
    bad = hostile.TEXT
    compiled = side(
        places=[{"operator": bad, "frames": [f"/p/{bad}(4): {bad}"]}, {"operator": f"aten::{bad}"}],
        left=[[36 * MIB, "gradient", bad, [1], bad]],
    )
    found = report(tmp_path, memory(compiled=compiled, eager=side(failed=bad)))
    page = MarkdownIt("commonmark").enable("table").render(rendered(found, "markdown"))
    assert "<script" not in page
    text = rendered(found, "terminal")
    assert not set(text) & {"\x1b", "\x9b", "\r", "\x07"}
    assert max(map(cell_len, text.splitlines())) <= WIDTH
    as_json(found)
