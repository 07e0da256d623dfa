"""Reading a log: whole, cut off, garbled, growing, shared by processes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from inspector.events.envelope import Envelope
from inspector.sources.log import LogReader


def line(record: dict[str, object], payload: str | None = None, *, pid: int = 7) -> bytes:
    if payload is not None:
        digest = hashlib.md5(payload.encode("utf-8", "surrogatepass"), usedforsecurity=False)
        record = {**record, "has_payload": digest.hexdigest()}
    text = f"V1121 07:34:27.229000 {pid} torch/x.py:1] {json.dumps(record)}\n"
    if payload is not None:
        text += "\t" + payload.replace("\n", "\n\t") + "\n"
    return text.encode("utf-8", "surrogatepass")


def artifact(name: str, payload: str, **more: object) -> bytes:
    pid = more.pop("pid", 7)
    assert isinstance(pid, int)
    return line({"artifact": {"name": name}, **more}, payload, pid=pid)


def read(path: Path, data: bytes) -> tuple[list[Envelope], list[str]]:
    path.write_bytes(data)
    reader = LogReader(path)
    envelopes = list(reader.read(ended=True))
    return envelopes, [warning.message for warning in reader.take_warnings()]


LOG = (
    line({"str": ["/home/user/model.py", 0]})
    + line({"dynamo_start": {"stack": [{"filename": 0, "line": 3, "name": "f"}]}, "frame_id": 0})
    + artifact("recompile_reasons", "one\ntwo", frame_id=0, frame_compile_id=1, attempt=2)
    + artifact("dynamo_error", "bad", frame_id=0, frame_compile_id=1)
)


def test_records_are_read(tmp_path: Path) -> None:
    (start, reasons, error), warnings = read(tmp_path / "a.log", LOG)

    assert start.frames(start.fields()["stack"])[0].file == "/home/user/model.py"
    assert (str(reasons.compile_id), reasons.attempt, reasons.text()) == ("0/1", 2, "one\ntwo")
    assert (error.name, error.pid, error.line) == ("dynamo_error", 7, 6)
    assert warnings == []


def test_payloads_can_be_read_again_from_the_file(tmp_path: Path) -> None:
    envelopes, _ = read(tmp_path / "a.log", LOG)
    payload = envelopes[1].payload
    assert payload is not None
    again = type(payload)(payload.path, payload.offset, payload.length_bytes, payload.md5)

    assert again.text() == "one\ntwo"
    assert again.is_whole()


@pytest.mark.parametrize("cut", range(0, len(LOG), 7))
def test_a_log_cut_anywhere_gives_what_was_whole(tmp_path: Path, cut: int) -> None:
    whole, _ = read(tmp_path / "whole.log", LOG)
    some, warnings = read(tmp_path / "cut.log", LOG[:cut])

    assert [item.key for item in some] == [item.key for item in whole][: len(some)]
    assert all(item.payload is None or item.payload.is_whole() for item in some)
    # A line that is whole, or a new line that has not come, is no loss to speak of.
    records = LOG[:cut].count(b"V1121") - LOG[:cut].count(b'"str"')
    assert warnings or len(some) >= records


def test_a_growing_log_keeps_its_last_record_back(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"")
    reader = LogReader(path)
    seen: list[str] = []
    for start in range(0, len(LOG), 11):
        with path.open("ab") as log:
            log.write(LOG[start : start + 11])
        seen += [item.text() for item in reader.read(ended=False)]
    assert seen[-1] == "one\ntwo"

    assert [item.text() for item in reader.read(ended=True)] == ["bad"]
    assert reader.take_warnings() == []


def test_payloads_with_any_line_ends_are_whole(tmp_path: Path) -> None:
    text = "a\rb\r\nc\u2028d\n\n\te\n"
    (envelope,), _ = read(tmp_path / "a.log", artifact("dynamo_error", text))

    assert envelope.payload is not None
    assert envelope.payload.is_whole()
    assert envelope.text() == text


def test_garbage_is_passed_over_and_said(tmp_path: Path) -> None:
    data = LOG[:200].rpartition(b"\n")[0] + b"\nnot a record\n\xff\xfe\n\tlost payload\n" + LOG
    envelopes, warnings = read(tmp_path / "a.log", data)

    assert [item.name for item in envelopes][-2:] == ["recompile_reasons", "dynamo_error"]
    assert any("not a record" in warning for warning in warnings)


def test_a_record_that_is_no_json_is_left_out(tmp_path: Path) -> None:
    bad = b'V1121 07:34:27.229000 7 torch/x.py:1] {"artifact": {"name":\n'
    envelopes, warnings = read(tmp_path / "a.log", bad + LOG)

    assert len(envelopes) == 3
    assert "is not JSON" in warnings[0]


def test_nan_is_read(tmp_path: Path) -> None:
    data = b'V1121 07:34:27.229000 7 torch/x.py:1] {"compilation_metrics": {"guard_count": NaN}}\n'
    (envelope,), warnings = read(tmp_path / "a.log", data)

    assert envelope.key == "compilation_metrics"
    assert warnings == []


def test_processes_that_share_a_log_number_their_strings_each(tmp_path: Path) -> None:
    data = b"".join(
        line({"str": [f"/home/user/{pid}.py", 0]}, pid=pid)
        + line({"dynamo_start": {"stack": [{"filename": 0, "line": 1, "name": "f"}]}}, pid=pid)
        for pid in (7, 8)
    )
    envelopes, _ = read(tmp_path / "a.log", data)

    files = [item.frames(item.fields()["stack"])[0].file for item in envelopes]
    assert files == ["/home/user/7.py", "/home/user/8.py"]


def test_the_rank_is_taken_from_record_or_prefix(tmp_path: Path) -> None:
    data = line({"dynamo_start": {}, "rank": 3}) + b"[rank1]:" + line({"dynamo_start": {}})
    envelopes, _ = read(tmp_path / "a.log", data)

    assert [item.rank for item in envelopes] == [3, 1]
