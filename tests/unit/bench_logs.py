"""Recordings of `inspect bench` whose log is written here, as its processes write it."""

import hashlib
import json
from pathlib import Path

from inspector.features.bench.report import BenchReport, make_bench_report
from inspector.features.bench.rows import BenchRow, make_rows
from inspector.run.sources.recording import opened, read_run
from inspector.shared.bench import BenchPlan, Combination, Setting, Workload
from inspector.shared.meta import FORMAT_VERSION, META_FILE

PLAN = BenchPlan(
    "model.py",
    (Combination(Workload(), Setting()), Combination(Workload(), Setting("inductor"))),
    sessions=1,
)


def write_bench(folder: Path, ended: str, *events: dict[str, object]) -> None:
    """Writes a recording of one process to a folder."""
    lines = []
    for event in events:
        fields = {"v": 1, "session": 0, "input": 0, **event}
        name = f"inspector_bench_{fields.pop('what', '')}"
        payload = json.dumps(fields)
        checksum = hashlib.md5(payload.encode()).hexdigest()  # noqa: S324 - as torch has it
        head = {
            "artifact": {"name": name, "encoding": "json"}, "has_payload": checksum
        }  # fmt: skip
        lines.append(f"V1123 03:17:24.409000 7 inspector/capture/writer.py:28] {json.dumps(head)}")
        lines.append(f"\t{payload}")
    (folder / "dedicated_log_torch_trace_7_a.log").write_text("\n".join(lines) + "\n")
    meta = {"format_version": FORMAT_VERSION, "target": "model.py", "ended": ended}
    (folder / META_FILE).write_text(json.dumps(meta))


def rows_of(
    folder: Path, ended: str, *events: dict[str, object], plan: BenchPlan = PLAN
) -> tuple[BenchRow, ...]:
    """The rows of such a recording."""
    write_bench(folder, ended, *events)
    with opened(folder) as found:
        return make_rows(plan, read_run(found))


def report_of(folder: Path, *events: dict[str, object], plan: BenchPlan = PLAN) -> BenchReport:
    """The report on such a recording."""
    write_bench(folder, "whole", *events)
    with opened(folder) as found:
        return make_bench_report(plan, read_run(found), [])


def block(combination: int, *times_ns: int, **more: int) -> dict[str, object]:
    """The calls of a block."""
    return {
        "what": "block", "combination": combination, "round": 0, "times_ns": times_ns,
        **more,
    }  # fmt: skip


def first(combination: int, at: int = 0, first_ns: int = 9, **more: object) -> dict[str, object]:
    """The first calls with an input."""
    return {
        "what": "first", "combination": combination, "input": at, "first_ns": first_ns,
        "inputs": f"f32[{at}]", **more,
    }  # fmt: skip
