"""Rows of a recording whose log is written here, as a process writes it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from inspector.benches.rows import INTERRUPTED, BenchRow, make_rows
from inspector.findings.bench_wording import details
from inspector.model.bench import BenchPlan, Combination, Setting, Workload
from inspector.model.meta_file import FORMAT_VERSION, META_FILE
from inspector.sources.recording import opened, read_run

PLAN = BenchPlan(
    "model.py",
    (Combination(Workload(), Setting()), Combination(Workload(), Setting("inductor"))),
    sessions=1,
)


def rows(folder: Path, ended: str, *events: dict[str, object]) -> tuple[BenchRow, ...]:
    lines = []
    for event in events:
        payload = json.dumps({"v": 1, "session": 0, "input": 0, **event})
        checksum = hashlib.md5(payload.encode()).hexdigest()  # noqa: S324 - as torch has it
        head = {
            "artifact": {"name": "inspector_bench", "encoding": "json"}, "has_payload": checksum
        }  # fmt: skip
        lines.append(f"V1123 03:17:24.409000 7 inspector/capture/writer.py:28] {json.dumps(head)}")
        lines.append(f"\t{payload}")
    (folder / "dedicated_log_torch_trace_7_a.log").write_text("\n".join(lines) + "\n")
    meta = {"format_version": FORMAT_VERSION, "target": "model.py", "ended": ended}
    (folder / META_FILE).write_text(json.dumps(meta))
    with opened(folder) as found:
        return make_rows(PLAN, read_run(found))


def block(combination: int, *times_ns: int) -> dict[str, object]:
    return {
        "what": "block", "combination": combination, "round": 0, "times_ns": times_ns,
        "device_ns": (),
    }  # fmt: skip


def test_the_part_of_a_call_in_which_the_gpu_works(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 1, "busy_ns": 150_000, "launches": 9}
    eager, compiled = rows(tmp_path, "whole", block(0, 400_000), block(1, 200_000), busy)
    assert compiled.busy == pytest.approx(0.75)
    assert "the GPU works 75% of it, on 9 pieces of work" in details(compiled)
    assert eager.busy is None
    assert "GPU" not in details(eager)


def test_a_gpu_does_not_work_for_more_than_the_call(tmp_path: Path) -> None:
    busy = {"what": "busy", "combination": 0, "busy_ns": 410_000, "launches": 1}
    (eager, _) = rows(tmp_path, "whole", block(0, 400_000), busy)
    assert eager.busy == 1


def test_what_was_not_reached_before_ctrl_c_says_so(tmp_path: Path) -> None:
    eager, compiled = rows(tmp_path, "interrupted", block(0, 400_000))
    assert (eager.failure, compiled.failure) == ("", INTERRUPTED)
    assert rows(tmp_path, "whole", block(0, 400_000))[1].failure == ""
