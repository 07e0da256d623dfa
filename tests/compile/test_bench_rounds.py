"""What a process of `inspect bench` has written after each round: what ends it leaves that."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from inspector.benches.rows import BenchRow, make_rows
from inspector.model.bench import BenchPlan, Combination, Setting, WorkerRequest, Workload
from inspector.model.meta_file import FORMAT_VERSION, META_FILE, meta_text
from inspector.model.request import Request
from inspector.model.run import Meta
from inspector.sources.recording import opened, read_run
from inspector.sources.worker import Worker

MODEL = """
import torch

model = torch.nn.Linear(8, 8)
example_inputs = [(torch.ones(2, 8),), (torch.ones(3, 8),)]
"""
SECONDS = 120.0


def rows_now(folder: Path) -> tuple[BenchRow, ...]:
    """What a report would say if the process ended now."""
    (folder / META_FILE).write_text(
        meta_text(Meta(FORMAT_VERSION, "1", "model.py"), {"tool_version": "0"}), encoding="utf-8"
    )
    plan = BenchPlan("model.py", (Combination(Workload(), Setting()),), sessions=1)
    with opened(folder) as found:
        return make_rows(plan, read_run(found))


def test_a_round_is_in_the_report_as_soon_as_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    folder = tmp_path / "recording"
    folder.mkdir()
    request = Request(str(tmp_path / "model.py"), no_grad=True, measure=False, backend="eager")
    asked = WorkerRequest(
        request, Workload(), compiles_optimizer=False, eager=True, combination=0, session=0
    )
    worker = Worker(folder, sys.executable, asked.to_json(), dict(os.environ))
    try:
        assert worker.wait("loaded", SECONDS, lambda: None) is not None, worker.failure
        worker.tell({"do": "begin"})
        assert worker.wait("ready", SECONDS, lambda: None) is not None, worker.failure
        assert [row.latency for row in rows_now(folder)] == [None, None]
        for number in range(2):
            for index in range(2):
                worker.tell({"do": "block", "round": number, "input": index, "calls": 3})
                assert worker.wait("done", SECONDS, lambda: None) is not None, worker.failure
            rows = rows_now(folder)
            assert [sorted(row.medians) for row in rows] == [
                [(0, at) for at in range(number + 1)]
            ] * 2
            assert all(row.latency and row.latency.calls for row in rows)
    finally:
        worker.end()
