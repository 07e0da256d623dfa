"""What a process of `inspect bench` has written after each round: what ends it leaves that."""

from __future__ import annotations

import contextlib
import mmap
import os
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.benches.kept import by_chance
from inspector.benches.rows import BenchRow, make_rows
from inspector.capture.profiling.faults import fresh_page, keep_freed, keep_mapped
from inspector.model.bench import BenchPlan, Combination, Setting, WorkerRequest, Workload
from inspector.model.meta_file import FORMAT_VERSION, META_FILE, meta_text
from inspector.model.request import Request
from inspector.model.run import Meta, Run
from inspector.sources.recording import opened, read_run
from inspector.sources.worker import Worker

MODEL = """
import torch

model = torch.nn.Linear(8, 8)
example_inputs = [(torch.ones(2, 8),), (torch.ones(3, 8),)]
"""
FRESH_BYTES = 1 << 26
FRESH = f"""
import torch

def model(x):
    return torch.full(({FRESH_BYTES},), 1, dtype=torch.uint8)[:1] + x

example_inputs = (torch.ones(1),)
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
        meta_text(Meta(FORMAT_VERSION, "1", "model.py"), {"tool_version": "0"}), encoding="utf-8"
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


def test_pages_that_the_system_gives_anew_are_counted_and_measured(tmp_path: Path) -> None:
    if not fresh_page() or any(name.startswith("MALLOC_") for name in os.environ):
        pytest.skip("this machine's allocator keeps memory")
    folder = tmp_path / "recording"
    with begun(folder, FRESH) as worker:
        told(worker, do="block", round=0, input=0, calls=3)
        told(worker, do="fresh")
        (row,) = rows_now(folder)
    # glibc gives back at once what is larger than 32 MiB; what little else there is comes to 1 %.
    pages = FRESH_BYTES / mmap.PAGESIZE
    assert list(row.page_faults) == [(0, 0)]
    assert pages <= row.page_faults[0, 0] < 1.05 * pages
    assert row.fresh_page_ns > 0


def test_calls_are_timed_with_kept_memory_too_and_large_blocks_are_no_chance(
    tmp_path: Path,
) -> None:
    if not fresh_page() or any(name.startswith("MALLOC_") for name in os.environ):
        pytest.skip("this machine's allocator keeps memory")
    folder = tmp_path / "recording"
    with begun(folder, FRESH) as worker:
        told(worker, do="block", round=0, input=0, calls=3)
        said = told(worker, do="fresh")
        assert 0.05 < said["fresh_share"] <= 1
        assert told(worker, do="keep_memory")["keeps_memory"]
        for number in range(3):
            told(worker, do="time_kept", round=number, input=0, calls=3)
        events = [event for process in run_now(folder).processes for event in process.benches]
        (row,) = rows_now(folder)
    kept = [event.kept.page_faults or 0 for event in events if event.kept]
    assert statistics.median(kept) == 0  # the heap may grow once more
    assert row.kept is not None
    assert list(row.kept.medians) == [(0, 0), (0, 1), (0, 2)]
    assert list(row.medians) == [(0, 0)]  # what was timed before is apart
    assert not by_chance(events, row.fresh_page_ns)  # each call maps its block, in whatever process


def test_where_no_allocator_can_be_told_memory_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())  # another C library: no mallopt
    assert not keep_freed()
    assert not keep_mapped()
