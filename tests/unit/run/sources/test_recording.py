"""Opening what a user names."""

import errno
import gzip
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import RecordingError
from inspector.run.sources import parts
from inspector.run.sources.meta import write_meta
from inspector.run.sources.recording import opened, read_run, write_zip
from inspector.run.sources.unpacking import _ANY_RATIO_BYTES, MAX_FILES
from inspector.run.summary import summarize
from inspector.shared.meta import FORMAT_VERSION, Meta

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


def by(pid: int) -> bytes:
    """The record of another process."""
    return RECORD.replace(b" 7 ", b" %d " % pid)


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
        (lambda path: path.mkdir(), "contains no recording"),
        (lambda path: path.write_text("hello\n"), "no structured-trace records"),
        (lambda path: path.write_bytes(b""), "no structured-trace records"),
        (lambda path: path.write_bytes(bytes(range(256)) * 9), "no structured-trace records"),
    ],
)
def test_what_is_no_trace_is_said(tmp_path: Path, make: object, said: str) -> None:
    path = tmp_path / "thing"
    make(path)  # type: ignore[operator]

    with pytest.raises(RecordingError, match=said) as caught:
        frames(path)
    assert caught.value.next_step


def test_a_newer_format_is_refused_with_the_next_step(recording: Path) -> None:
    path = recording / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": 99}))

    with pytest.raises(RecordingError, match="format 99") as caught:
        frames(recording)
    assert "git pull" in caught.value.next_step


@pytest.mark.parametrize("version", [True, "1", -1])
def test_a_description_without_a_version_is_said(recording: Path, version: object) -> None:
    path = recording / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": version}))

    with pytest.raises(RecordingError, match=r"not the metadata.*format_version"):
        frames(recording)


@pytest.mark.parametrize("text", ["{", "5", "[]", "{}", "[" * 100_000, '{"a": "\xff'])
def test_what_is_no_description_is_said(recording: Path, text: str) -> None:
    (recording / "meta.json").write_text(text, encoding="latin-1")

    with pytest.raises(RecordingError, match="not the metadata"):
        frames(recording)


def test_logs_in_sub_folders_are_read_unless_hidden_or_a_recording(recording: Path) -> None:
    for pid, name in enumerate(("rank0", "rank1", ".hidden", "other")):
        folder = recording / name
        folder.mkdir()
        (folder / "b.log").write_bytes(by(pid))
    write_meta(recording / "other", Meta(FORMAT_VERSION, "other"), {})
    (recording / "meta.json").unlink()

    with opened(recording) as found:
        names = [str(path.relative_to(recording)) for path in found.logs]
    assert names == ["a.log", "rank0/b.log", "rank1/b.log"]


@pytest.mark.parametrize("store", ["", ".inspector"])
def test_a_folder_of_recordings_names_them(tmp_path: Path, store: str) -> None:
    for number in range(1, 6):
        folder = tmp_path / store / str(number)
        folder.mkdir(parents=True)
        write_meta(folder, Meta(FORMAT_VERSION, str(number)), {})
        (folder / "a.log").write_bytes(RECORD)
        os.utime(folder / "meta.json", (number, number))

    with pytest.raises(RecordingError, match="is not a recording") as caught:
        frames(tmp_path)
    named = ", ".join(str(tmp_path / store / str(number)) for number in (5, 4, 3))
    assert f"{named} and 2 more." in caught.value.message
    assert caught.value.next_step.endswith(str(tmp_path / store / "5"))


def test_a_file_that_is_no_trace_among_others_is_said(recording: Path) -> None:
    (recording / "meta.json").unlink()
    (recording / "b.log").write_text("hello\n")

    with opened(recording) as found:
        run = read_run(found)
    assert summarize(run).frames == 1
    assert ("b.log", "the log has no complete record") in [
        (warning.file, warning.message) for warning in run.warnings
    ]


def test_a_zip_of_several_recordings_is_said(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(2):
            archive.write(recording / "meta.json", f"{number}/meta.json")

    with pytest.raises(RecordingError, match="several recordings"):
        frames(path)


def test_a_damaged_gzip_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    data = bytearray(gzip.compress(RECORD * 2000))
    data[30:60] = b"\xff" * 30
    path.write_bytes(data)

    with pytest.raises(RecordingError, match="cannot be unpacked"):
        frames(path)


def test_a_folder_that_cannot_be_read_is_said_and_the_others_are_read(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (recording / "lost+found").mkdir()
    scan = os.scandir

    def guarded(path: Any) -> Any:
        if Path(path).name == "lost+found":  # the tests may run as root, who may read all
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with opened(recording) as found:
        assert len(found.logs) == 1
        assert [(warning.file, warning.message) for warning in found.warnings] == [
            ("lost+found", "the folder cannot be read: Permission denied")
        ]


def test_what_may_not_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RecordingError, match="cannot be read"):
        frames(tmp_path)


def test_packed_logs_in_a_folder_and_in_a_zip_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    (folder / "rank_0.log").write_bytes(RECORD)
    (folder / "rank_1.log.gz").write_bytes(gzip.compress(by(8)))
    write_zip(folder, tmp_path / "ranks.zip")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "a.log.gz").write_bytes(gzip.compress(RECORD))

    assert [frames(path) for path in (folder, tmp_path / "ranks.zip", alone)] == [2, 2, 1]


@pytest.mark.skipif(os.name == "nt", reason="Windows has none of these")
@pytest.mark.parametrize("name", ["pipe", "pipe.gz", "/dev/zero"])
def test_what_has_no_end_is_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if not path.exists():
        os.mkfifo(path)

    with pytest.raises(RecordingError, match="neither a file nor a folder") as caught:
        frames(path)
    assert caught.value.next_step


def test_logs_are_in_the_order_of_their_ranks(tmp_path: Path) -> None:
    ranks = [*range(12), 100]
    for rank in ranks:
        (tmp_path / f"torch_trace_rank_{rank}_{9 - rank % 7}x.log").write_bytes(by(rank))

    with opened(tmp_path) as found:
        assert [int(log.name.split("_")[3]) for log in found.logs] == ranks


def _bomb(folder: Path, name: str) -> Path:
    """A small file of gigabytes, or of very many files."""
    record = b'V1127 19:21:07.584000 1 torch/_x.py:1] {"dynamo_start": {"stack": []}}\n'
    path = folder / name
    if name == "many.zip":
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(MAX_FILES + 1):
                archive.writestr(f"{number}.log", "")
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.log", record + b"\t" + bytes(_ANY_RATIO_BYTES))
    else:
        with gzip.open(path, "wb") as packed:
            packed.write(record + b"\t" + bytes(_ANY_RATIO_BYTES))
    return path


@pytest.mark.parametrize("name", ["zeros.log.gz", "zeros.zip", "many.zip"])
def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, name: str) -> None:
    bomb = _bomb(tmp_path, name)
    with (
        pytest.raises(RecordingError, match=r"was refused because it (unpacks|contains)"),
        opened(bomb),
    ):
        pass


def test_a_packed_log_in_a_folder_does_not_stop_the_others(tmp_path: Path) -> None:
    _bomb(tmp_path, "zeros.log.gz")
    (tmp_path / "a.log").write_text('V1127 19:21:07.584000 1 a.py:1] {"dynamo_start": {}}\n')
    with opened(tmp_path) as recording:
        assert [log.name for log in recording.logs] == ["a.log"]
        assert "it unpacks to more than" in recording.warnings[0].message


def of_torch_in(folder: str) -> bytes:
    """A compilation called from a torch in this folder, and a frame of the project's."""
    files = (f"{folder}/torch/nn/modules/module.py", "/home/user/model.py")
    stack = json.dumps([{"filename": file, "line": 3, "name": "f"} for file in files]).encode()
    return RECORD.replace(b"[]", stack)


def test_logs_read_in_several_processes_give_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the logs on their own say otherwise where torch is."""
    monkeypatch.setattr(parts, "_WORTH_PROCESSES_BYTES", 0)
    for rank, folder in enumerate(("/opt/a", "/opt/a", "/opt/b")):
        log = of_torch_in(folder) + RECORD.replace(b"dynamo_start", b"unheard") + b"garbled\n"
        (tmp_path / f"trace_rank_{rank}_x.log").write_bytes(log)
    (tmp_path / "trace_rank_3_x.log").write_bytes(b"garbled\n")
    shares: list[float] = []

    with opened(tmp_path) as found:
        alone = read_run(found)
        together = read_run(found, processes=2, on_progress=shares.append)

    assert together == alone
    assert together.roots.torch == "/opt/a/torch"
    assert [process.rank for process in together.processes] == [0, 1, 2]
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_reading_process_that_dies_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_WORTH_PROCESSES_BYTES", 0)
    monkeypatch.setattr(parts, "_read_log", lambda *_: os._exit(9))
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(RECORD)

    with opened(tmp_path) as found, pytest.raises(RecordingError, match="reads logs died"):
        read_run(found, processes=2)
