"""What a process of `inspect bench` has written after each round: what ends it leaves that."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.features.bench.rows import BenchRow, make_rows
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.run.sources.worker import Worker
from inspector.shared.bench import BenchPlan, Combination, Setting, WorkerRequest, Workload
from inspector.shared.meta import FORMAT_VERSION, META_FILE, Meta
from inspector.shared.request import Request

MODEL = """
import torch

model = torch.nn.Linear(8, 8)
example_inputs = [(torch.ones(2, 8),), (torch.ones(3, 8),)]
"""
# The second input changes the model, and the first does not bear that.
TOUCHED = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        if len(x) == 3:
            self.seen.add_(1)
        elif self.seen:
            raise ValueError("another input's call is not put back")
        return x + self.seen

model = Net()
example_inputs = [(torch.ones(2, 8),), (torch.ones(3, 8),)]
"""
SECONDS = 120.0


def run_now(folder: Path) -> Run:
    """What is recorded if the process ends now."""
    (folder / META_FILE).write_text(
        Meta(FORMAT_VERSION, "1", "model.py").text({"tool_version": "0"}), encoding="utf-8"
    )
    with opened(folder) as found:
        return read_run(found)


def rows_now(folder: Path) -> tuple[BenchRow, ...]:
    """What a report would say then."""
    plan = BenchPlan("model.py", (Combination(Workload(), Setting()),), sessions=1)
    return make_rows(plan, run_now(folder))


@contextlib.contextmanager
def begun(folder: Path, code: str) -> Iterator[Worker]:
    """A process that is ready to time the calls of a model."""
    (folder.parent / "model.py").write_text(code)
    folder.mkdir()
    file = str(folder.parent / "model.py")
    request = Request(file, no_grad=True, measure=False, backend="eager")
    asked = WorkerRequest(
        request, Workload(), compiles_optimizer=False, eager=True, combination=0, session=0
    )
    worker = Worker(folder, sys.executable, asked.to_json(), dict(os.environ))
    try:
        assert worker.wait("loaded", SECONDS, lambda: None) is not None, worker.failure
        worker.tell({"do": "begin"})
        assert worker.wait("ready", SECONDS, lambda: None) is not None, worker.failure
        yield worker
    finally:
        worker.end()


def told(worker: Worker, **what: object) -> Mapping[str, Any]:
    worker.tell(what)
    said = worker.wait("done", SECONDS, lambda: None)
    assert said is not None, worker.failure
    return said


def test_a_round_is_in_the_report_as_soon_as_it_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    with begun(folder, MODEL) as worker:
        assert [row.latency for row in rows_now(folder)] == [None, None]
        for number in range(2):
            for index in range(2):
                told(worker, do="block", round=number, input=index, calls=3)
            rows = rows_now(folder)
            assert [sorted(row.medians) for row in rows] == [
                [(0, at) for at in range(number + 1)]
            ] * 2
            assert all(row.latency and row.latency.calls for row in rows)


def test_what_one_input_changes_is_put_back_before_another(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    with begun(folder, TOUCHED) as worker:
        for number in range(2):
            for index in (1, 0):
                told(worker, do="block", round=number, input=index, calls=3)
        rows = rows_now(folder)
    assert [row.failure for row in rows] == ["", ""]
    assert all(row.latency and row.latency.calls for row in rows)
