"""Reading a log: whole, cut off, garbled, growing, shared by processes."""

import hashlib
import itertools
import json
import tracemalloc
from pathlib import Path

import pytest

from inspector.run.sources.log import LogReader
from inspector.trace.envelope import Envelope


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


@pytest.mark.parametrize(
    "text", ["a\rb\r\nc\u2028d\n\n\te\n", "x" * (3 << 20) + "\n" * 5 + "\t\n"], ids=["ends", "long"]
)
def test_payloads_with_any_line_ends_are_whole(tmp_path: Path, text: str) -> None:
    (envelope,), _ = read(tmp_path / "a.log", artifact("dynamo_error", text))

    assert envelope.payload is not None
    assert envelope.payload.is_whole()
    assert envelope.text() == text


def test_garbage_is_passed_over_and_said(tmp_path: Path) -> None:
    data = LOG[:200].rpartition(b"\n")[0] + b"\nnot a record\n\xff\xfe\n\tlost payload\n" + LOG
    envelopes, warnings = read(tmp_path / "a.log", data)

    assert [item.name for item in envelopes][-2:] == ["recompile_reasons", "dynamo_error"]
    assert any("not a record" in warning for warning in warnings)


def test_the_rank_is_taken_from_record_or_prefix(tmp_path: Path) -> None:
    data = line({"dynamo_start": {}, "rank": 3}) + b"[rank1]:" + line({"dynamo_start": {}})
    envelopes, _ = read(tmp_path / "a.log", data)

    assert [item.rank for item in envelopes] == [3, 1]


HEADER = b"V1121 07:34:27.229000 7 torch/x.py:1] "


@pytest.mark.parametrize(
    "record",
    [
        b'{"artifact": {"name":',
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"str": [["x"], 0]}',
        b'{"str": ["x", {}]}',
        b'{"str": ["x", true]}',
        b'{"str": ["x", -1]}',
        b'{"str": ["x", []]}',
        b'{"str": 5}',
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_record_of_a_wrong_shape_is_left_out_and_said(tmp_path: Path, record: bytes) -> None:
    envelopes, warnings = read(tmp_path / "a.log", HEADER + record + b"\n" + LOG)

    assert len(envelopes) == 3
    assert len(warnings) == 1


@pytest.mark.parametrize("value", [-1, True, 1 << 80, 1e300, "1", [1]])
def test_numbers_of_a_wrong_kind_are_none(tmp_path: Path, value: object) -> None:
    frame = {"filename": value, "line": value, "name": "f"}
    names = ("frame_id", "frame_compile_id", "attempt", "rank")
    record = {"dynamo_start": {"stack": [frame]}, **dict.fromkeys(names, value)}
    (envelope,), _ = read(tmp_path / "a.log", line(record))

    assert (envelope.compile_id, envelope.attempt, envelope.rank) == (None, 0, None)
    assert envelope.frames(envelope.fields()["stack"])[0].line == 0


UNREAD = line({"artifact": {"name": "fx_graph_runnable"}, "has_payload": "x"}) + b"\t"


@pytest.mark.parametrize("before", [UNREAD, b""], ids=["that nothing reads", "of no record"])
def test_a_long_line_is_never_in_memory(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(before + b"x" * (64 << 20) + b"\n" + LOG)
    tracemalloc.start()
    envelopes = list(LogReader(path).read(ended=True))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(envelopes) == 3
    assert peak_bytes < 8 << 20


@pytest.mark.parametrize("block", range(1, 40))
def test_where_a_block_ends_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    data = LOG + line({"dynamo_output_graph": {}}, "a\n\nb\n") + artifact("brand_new", "c\n\td")
    whole, _ = read(tmp_path / "a.log", data)
    monkeypatch.setattr("inspector.run.sources.log._READ_BYTES", block)
    monkeypatch.setattr("inspector.trace.payload._READ_BYTES", block)
    again, warnings = read(tmp_path / "a.log", data)

    assert again == whole
    assert [item.text() for item in again] == ["", "one\ntwo", "bad", "a\n\nb\n", "c\n\td"]
    assert all(item.payload is None or item.payload.is_whole() for item in again)
    assert warnings == []


def test_a_reader_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(LOG)
    reader = LogReader(path)
    seen = []
    for _ in range(4):
        seen += [item.text() for item in itertools.islice(reader.read(ended=False), 1)]

    assert [*seen, *(item.text() for item in reader.read(ended=True))] == ["", "one\ntwo", "bad"]


def test_payload_after_an_empty_line_is_not_that_of_the_next_record(tmp_path: Path) -> None:
    data = artifact("dynamo_error", "one") + b"\n\tstray\n" + artifact("dynamo_error", "two")
    envelopes, _ = read(tmp_path / "a.log", data)

    assert [item.text() for item in envelopes] == ["one", "two"]


def test_line_ends_that_became_crlf_are_restored(tmp_path: Path) -> None:
    text = "one\n\ntwo\n"
    data = (LOG + artifact("dynamo_error", text)).replace(b"\n", b"\r\n")
    envelopes, warnings = read(tmp_path / "a.log", data)

    assert [item.text() for item in envelopes] == ["", "one\ntwo", "bad", text]
    assert warnings == []


def test_a_forked_process_knows_what_its_parent_interned(tmp_path: Path) -> None:
    def start(pid: int) -> bytes:
        stack = [{"filename": number, "line": 1, "name": "f"} for number in (0, 1)]
        return line({"dynamo_start": {"stack": stack}}, pid=pid)

    data = (
        line({"str": ["/parent/0.py", 0]}, pid=7)
        + line({"str": ["/parent/1.py", 1]}, pid=7)
        + start(8)
        + line({"str": ["/child/1.py", 1]}, pid=8)
        + start(8)
        + start(7)
    )
    envelopes, _ = read(tmp_path / "a.log", data)

    assert [[f.file for f in e.frames(e.fields()["stack"])] for e in envelopes] == [
        ["/parent/0.py", "/parent/1.py"],
        ["/parent/0.py", "/child/1.py"],
        ["/parent/0.py", "/parent/1.py"],
    ]


def test_warnings_are_bounded_over_the_whole_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    reader = LogReader(path)
    warnings = []
    for number in range(50):
        with path.open("ab") as log:
            log.write(b"no record %d\n" % number)
        list(reader.read(ended=False))
        warnings += reader.take_warnings()
    list(reader.read(ended=True))
    last = [warning.message for warning in reader.take_warnings()]

    assert len(warnings) == 20
    assert last == [
        "50 lines do not belong to a record and were skipped",
        "30 more warnings are not shown",
    ]
