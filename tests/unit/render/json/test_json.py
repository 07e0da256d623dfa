from __future__ import annotations

from tests.unit.render import hostile, runs
from tests.unit.render.rendering import all_reports, as_json, rendered


def test_reports_of_traces_are_as_their_schema_says() -> None:
    for report in all_reports():
        as_json(report)


def test_the_same_run_gives_the_same_bytes() -> None:
    first, second = (rendered(runs.report_of(runs.failed()), "json") for _ in range(2))
    assert first == second


def test_columns_are_0_based_and_what_is_unknown_is_null() -> None:
    first = as_json(runs.report_of(runs.broken()))["findings"][0]
    assert (first["file"], first["line"], first["column"]) == ("model.py", 10, 8)
    assert (first["end_line"], first["end_column"]) == (10, 31)
    last = as_json(runs.report_of(runs.failed()))["findings"]
    assert {item["column"] for item in last if item["rule"] == "recompile"} == {None}


def test_counts() -> None:
    summary = as_json(runs.report_of(runs.broken()))["summary"]
    assert summary["graph_breaks"] == 3
    assert summary["distinct_graph_breaks"] == 2
    assert summary["operators_per_graph"] == [3, 3, 1]
    assert summary["later"]["distinct_graph_breaks"] == 1
    assert sum(summary["compile_time_by_stage_ns"].values()) == summary["compile_time_ns"]


def test_what_json_cannot_hold_is_replaced() -> None:
    report = as_json(runs.report_of(hostile.run()))
    hardware = report["environment"][0]["hardware"]
    assert hardware["big"] == 2**63 - 1
    assert hardware["inf"] is None
    assert "\\udc80" in report["recording"]["name"]


def test_each_record_and_frame_is_listed() -> None:
    report = as_json(runs.report_of(runs.failed()))
    assert [frame["state"] for frame in report["frames"]] == ["compiled", "failed", "unfinished"]
    assert [item["rank"] for item in report["environment"]] == [None, 1]
    assert report["unknown_events"] == [
        {"process": 0, "event": "artifact:new_thing", "count": 3},
        {"process": 0, "event": "shiny", "count": 1},
    ]
    breaks = as_json(runs.report_of(runs.broken()))["graph_breaks"]
    assert [(item["frame"], item["gb_id"]) for item in breaks][:2] == [
        ("forward", "GB0059"),
        ("helper", "GB0059"),
    ]
