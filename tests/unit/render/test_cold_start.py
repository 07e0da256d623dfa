"""Figures of a cold start, and its timeline."""

import dataclasses
import json

from tests.unit import cold_starts
from tests.unit.render.rendering import rendered


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
