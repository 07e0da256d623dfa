"""Structured traces written by hand, record by record."""

import hashlib
import json
from pathlib import Path
from typing import Any

from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run

FILE = "/home/user/model.py"
BREAK = (
    f"Graph break in user code at {FILE}:3\n"
    "Graph Break Reason: Encountered graph break when attempting to trace CALL: a call:\n\n"
    "Failed to trace builtin operator\n  Explanation: no\n  Hint: do\n\n"
    "  Developer debug context: print\n\n"
    " For more details about this graph break, please visit: https://example.org/gb/gb0059.html\n\n"
    f'User code traceback:\n  File "{FILE}", line 3, in f\n    print(1)\n\nNoneType: None\n'
)


def record(key: str, metadata: Any, compile_id: str = "0/0", payload: str = "") -> bytes:
    frame, number = compile_id.split("/")
    envelope = {key: metadata, "frame_id": int(frame), "frame_compile_id": int(number)}
    if payload:
        digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        envelope["has_payload"] = digest
    text = f"V1121 07:34:27.229000 7 torch/x.py:1] {json.dumps({**envelope, 'attempt': 0})}\n"
    return (text + (f"\t{payload}\n".replace("\n", "\n\t")[:-1] if payload else "")).encode()


def start(compile_id: str = "0/0", name: str = "f", line: int = 1) -> bytes:
    frame = {"filename": FILE, "line": line, "name": name}
    return record("dynamo_start", {"stack": [frame]}, compile_id)


def metrics(compile_id: str = "0/0", **fields: Any) -> bytes:
    said = {"co_name": "f", "co_filename": FILE, "co_firstlineno": 1, "has_guarded_code": True}
    return record("compilation_metrics", {**said, "graph_op_count": 2, **fields}, compile_id)


def graph(compile_id: str = "0/0") -> bytes:
    return record("dynamo_output_graph", {}, compile_id)


def broken(compile_id: str = "0/0") -> bytes:
    return record("artifact", {"name": "dynamo_graph_break_reason"}, compile_id, BREAK)


def run_of(tmp_path: Path, *records: bytes) -> Run:
    log = tmp_path / "a.log"
    log.write_bytes(b"".join(records))
    with opened(log) as recording:
        return read_run(recording)
