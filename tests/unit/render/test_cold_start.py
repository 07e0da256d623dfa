"""The report on a cold start in every format."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.compile_time.report import ColdStartReport
from inspector.run.run import Run
from inspector.trace.caches import CacheState
from tests.unit import cold_starts
from tests.unit.render import hostile, runs

NAMES = ("cold", "warm", "config", "pass", "cold_2_11", "training")
DATA = Path(__file__).parent.parent / "data"


def rendered(report: ColdStartReport, format_: str, width: int = 80) -> str:
    stream = io.StringIO()
    with mock.patch.dict(os.environ, {"COLUMNS": str(width)}):
        plugins.render(report, format_, stream)
    return stream.getvalue()


def nasty(*keys: str) -> Run:
    """A cold start in which every recorded text tries to be something else."""
    run = hostile.run()
    recorded = cold_starts.read("pass").processes[0]
    times = tuple(
        dataclasses.replace(item, name=hostile.TEXT, file=f"{runs.PROJECT}/{hostile.HEADING}")
        for item in recorded.compile_times
    )
    lookups = tuple(
        dataclasses.replace(item, reason=hostile.HEADING, exception=hostile.TEXT)
        for item in recorded.lookups
    )
    lookups += tuple(
        dataclasses.replace(
            lookups[0],
            state=CacheState.MISS,
            key=key,
            components=(f"[{key}] gm: {hostile.HEADING}", f"[{key}] {hostile.TEXT[:5]}: x"),
        )
        for key in keys
    )
    details = (("kernel_name", hostile.HEADING),)
    table = tuple(
        dataclasses.replace(kind, name=hostile.TEXT, details=details, ended=False)
        for kind in recorded.lanes[0].table
    )
    lanes = tuple(dataclasses.replace(lane, table=table) for lane in recorded.lanes)
    process = dataclasses.replace(
        run.processes[0], compile_times=times, lookups=lookups, stages=recorded.stages,
        compile_time_ns=recorded.compile_time_ns, lanes=lanes,
    )  # fmt: skip
    return dataclasses.replace(run, processes=(process,))


def all_reports() -> list[ColdStartReport]:
    cold = cold_starts.read("cold")
    reports = [cold_starts.report_of(cold_starts.read(name), cold) for name in NAMES]
    return [
        *reports,
        cold_starts.report_of(runs.nothing()),
        cold_starts.report_of(nasty("a"), nasty("b")),
    ]


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema_of("cold-start"))


def test_json_is_as_its_schema_says(validator: jsonschema.Draft202012Validator) -> None:
    for report in all_reports():
        validator.validate(json.loads(rendered(report, "json")))


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for report in all_reports():
        text = rendered(report, "terminal", width)
        for line in text.splitlines():
            assert cell_len(line) <= width or "http" in line or ":" in line.split(" ")[0], line
        assert not any(ord(letter) < 32 and letter != "\n" for letter in text)
        assert hostile.BIDI not in text


def test_markdown_shows_recorded_text_as_text() -> None:
    text = rendered(cold_starts.report_of(nasty("a"), nasty("b")), "markdown")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    found = [token for parent in tokens for token in (parent, *(parent.children or ()))]

    assert not [
        token for token in found if "evil" in str(token.attrs) or "script" in str(token.attrs)
    ]
    assert "<script>" not in "".join(
        t.content for t in found if t.type in {"html_inline", "html_block"}
    )
    assert {token.tag for token in found if token.type == "heading_open"} == {"h1", "h2", "h3"}


def opened(events: list[dict[str, Any]]) -> int:
    """How deep the events nest at most; each closes what was opened last."""
    stack: list[int] = []
    deepest, before = 0, 0
    for event in events:
        assert event["at"] >= before
        before = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"]
        deepest = max(deepest, len(stack))
    assert not stack
    return deepest


def test_speedscope_files_are_as_speedscopes_own_schema_says() -> None:
    schema = json.loads((DATA / "speedscope-1.25.0.schema.json").read_text("utf-8"))
    for report in all_reports():
        file = json.loads(rendered(report, "speedscope.json"))
        jsonschema.validate(file, schema)
        for profile in file["profiles"]:
            assert opened(profile["events"]) > 0
            last = max(event["at"] for event in profile["events"])
            assert profile["startValue"] <= last <= profile["endValue"]
            assert all(e["frame"] < len(file["shared"]["frames"]) for e in profile["events"])


def test_speedscope_leads_to_the_source() -> None:
    report = cold_starts.report_of(cold_starts.read("training"))
    file = json.loads(rendered(report, "speedscope.json"))

    assert {"name": "0/0 forward", "file": "model.py", "line": 7} in file["shared"]["frames"]
    assert [profile["name"] for profile in file["profiles"]][:2] == ["compilation", "worker 1"]


def test_perfetto_files_name_processes_threads_and_compilations() -> None:
    run = cold_starts.read("training")
    (process,) = run.processes
    ranks = tuple(dataclasses.replace(process, rank=rank) for rank in (0, 1))
    report = cold_starts.report_of(dataclasses.replace(run, processes=ranks))
    events = json.loads(rendered(report, "perfetto.json"))["traceEvents"]
    names = {
        (e["name"], e["pid"], e["tid"]): e["args"].get("name") for e in events if e["ph"] == "M"
    }
    spans = [event for event in events if event["ph"] == "X"]

    assert names["process_name", 1, 0] == f"rank 0 · pid {process.pid}"
    assert names["process_name", 2, 0] == f"rank 1 · pid {process.pid}"
    assert names["thread_name", 1, 0] == f"rank 0 · pid {process.pid} · compilation"
    first = spans[0]
    assert (first["name"], first["ts"], first["args"]["defined_at"]) == (
        "0/0 forward",
        0,
        "model.py:7",
    )
    assert all(span["dur"] >= 0 and (span["pid"], span["tid"]) for span in spans)
    assert len(spans) == 2 * sum(map(len, process.lanes))


def test_perfetto_files_hold_recorded_text_harmlessly() -> None:
    text = rendered(cold_starts.report_of(nasty()), "perfetto.json")

    assert hostile.BIDI not in text
    assert "\\u001b" not in text
    assert json.loads(text)["traceEvents"][3]["args"]["kernel_name"]
