"""What a process of `inspect bench` has written after each round: what ends it leaves that."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from inspector.features.bench.rows import BenchRow, make_rows
from inspector.run.sources.recording import opened, read_run
from inspector.run.sources.worker import Worker
from inspector.shared.bench import BenchPlan, Combination, Setting, WorkerRequest, Workload
from inspector.shared.meta import FORMAT_VERSION, META_FILE, Meta
from inspector.shared.request import Request

# The second input changes the model, and the first does not bear that.
MODEL = """
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


def rows_now(folder: Path) -> tuple[BenchRow, ...]:
    """What a report would say if the process ended now."""
    meta = Meta(FORMAT_VERSION, "1", "model.py").text({"tool_version": "0"})
    (folder / META_FILE).write_text(meta, encoding="utf-8")
    plan = BenchPlan("model.py", (Combination(Workload(), Setting()),), sessions=1)
    with opened(folder) as found:
        return make_rows(plan, read_run(found))


@contextlib.contextmanager
def begun(folder: Path) -> Iterator[Worker]:
    """A process that is ready to time the calls of a model."""
    (folder.parent / "model.py").write_text(MODEL)
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


def test_a_round_is_in_the_report_as_soon_as_it_is_made(tmp_path: Path) -> None:
    """And what one input changes is put back before another."""
    folder = tmp_path / "recording"
    with begun(folder) as worker:
        assert [row.latency for row in rows_now(folder)] == [None, None]
        for number in range(2):
            for index in (1, 0):
                worker.tell({"do": "block", "round": number, "input": index, "calls": 3})
                assert worker.wait("done", SECONDS, lambda: None) is not None, worker.failure
            rows = rows_now(folder)
            assert [row.failure for row in rows] == ["", ""]
            assert all(row.latency and row.latency.calls for row in rows)
            assert [sorted(row.medians) for row in rows] == [
                [(0, at) for at in range(number + 1)]
            ] * 2
