"""Opening what a user names."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from inspector.errors import RecordingError
from inspector.model.run import Meta
from inspector.model.summary import summarize
from inspector.sources.meta import FORMAT_VERSION, read_meta, write_meta
from inspector.sources.recording import opened, read_run, write_zip

RECORD = (
    b'V1121 07:34:27.229000 7 torch/x.py:1] {"dynamo_start": {"stack": []}, "frame_id": 0, '
    b'"frame_compile_id": 0, "attempt": 0}\n'
)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "recording"
    folder.mkdir()
    (folder / "a.log").write_bytes(RECORD)
    write_meta(folder, Meta(FORMAT_VERSION, "recording", "model.py"), {})
    return folder


def frames(path: Path) -> int:
    with opened(path) as found:
        return summarize(read_run(found)).frames


def test_a_folder_a_zip_a_log_and_a_gzipped_log_are_the_same(recording: Path) -> None:
    packed = recording.parent / "recording.zip"
    write_zip(recording, packed)
    zipped_log = recording.parent / "a.log.gz"
    zipped_log.write_bytes(gzip.compress(RECORD))

    assert [frames(p) for p in (recording, packed, recording / "a.log", zipped_log)] == [1] * 4


def test_a_zip_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../evil.log", RECORD)

    assert frames(path) == 1
    assert not (tmp_path.parent / "evil.log").exists()


def test_a_gzip_that_was_cut_off_gives_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(RECORD * 2000, compresslevel=0)[:-20])

    assert frames(path) == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: None, "no recording or trace"),
        (lambda path: path.mkdir(), "without a recording"),
        (lambda path: path.write_text("hello\n"), "no record of a structured trace"),
        (lambda path: path.write_bytes(b""), "no record of a structured trace"),
        (lambda path: path.write_bytes(bytes(range(256)) * 9), "no record of a structured trace"),
    ],
)
def test_what_is_no_trace_is_said(tmp_path: Path, make: object, said: str) -> None:
    path = tmp_path / "thing"
    make(path)  # type: ignore[operator]

    with pytest.raises(RecordingError, match=said) as caught:
        frames(path)
    assert caught.value.next_step


def test_a_damaged_zip_is_said(recording: Path) -> None:
    path = recording.parent / "a.zip"
    path.write_bytes(b"PK\x03\x04 no")

    with pytest.raises(RecordingError, match="not a whole zip"):
        frames(path)


def test_a_newer_format_is_refused_with_the_next_step(recording: Path) -> None:
    path = recording / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": 99}))

    with pytest.raises(RecordingError, match="format 99") as caught:
        frames(recording)
    assert "pip install --upgrade" in caught.value.next_step


def test_a_damaged_description_is_said(recording: Path) -> None:
    (recording / "meta.json").write_text("{")

    with pytest.raises(RecordingError, match="not the description"):
        frames(recording)


def test_unknown_fields_of_a_description_do_no_harm(recording: Path) -> None:
    path = recording / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "later": 1}))

    assert read_meta(recording, "x").target == "model.py"


def test_the_same_recording_is_the_same_zip(recording: Path, tmp_path: Path) -> None:
    write_zip(recording, tmp_path / "one.zip")
    write_zip(recording, tmp_path / "two.zip")

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
