"""The folder of the last recordings."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.list import command
from inspector.errors import RecordingError, UsageError
from inspector.run.sources.store import (
    new_recording,
    newest_recording,
    prune,
    recorder_mark,
    stored_recording,
    stored_recordings,
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSPECTOR_DIR", str(tmp_path / "store"))
    return tmp_path / "store"


def recorded(ended: str = "whole", **more: object) -> Path:
    path = new_recording()
    meta = {"format_version": 1, "tool_version": "0", "ended": ended, **more}
    (path / "meta.json").write_text(json.dumps(meta))
    return path


def dead() -> dict[str, object]:
    process = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                             capture_output=True, check=True)  # fmt: skip
    mark = recorder_mark()["recorder"]
    assert isinstance(mark, dict)
    return {"recorder": {**mark, "pid": int(process.stdout)}}


def test_recordings_are_numbered_and_ignored_by_git(store: Path) -> None:
    assert [new_recording().name for _ in range(3)] == ["1", "2", "3"]
    assert (store / ".gitignore").read_text() == "*\n"


def test_the_newest_one_with_a_description_is_found(store: Path) -> None:
    with pytest.raises(RecordingError, match="no recordings here"):
        newest_recording()
    for _ in range(11):
        recorded()
    new_recording()  # never described

    assert newest_recording() == store / "11"


def test_one_that_is_being_recorded_is_not_the_newest(store: Path) -> None:
    recorded("running", **recorder_mark())
    with pytest.raises(RecordingError, match="still in progress"):
        newest_recording()
    recorded("running", **dead())
    assert newest_recording() == store / "2"
    recorded("timed-out")
    recorded("running", **dead())
    recorded("running", **recorder_mark())
    assert newest_recording() == store / "3"


def test_the_last_ten_are_kept(store: Path) -> None:
    newest = [recorded() for _ in range(14)][-1]
    prune(newest)

    kept = sorted(int(path.name) for path in store.iterdir() if path.is_dir())
    assert kept == list(range(5, 15))


def test_one_that_is_being_recorded_is_not_deleted(store: Path) -> None:
    recorded("running", **recorder_mark())
    recorded("running", **dead())
    newest = [recorded() for _ in range(12)][-1]
    prune(newest)

    assert (store / "1").is_dir()
    assert not (store / "2").exists()


def test_what_is_no_recording_is_never_touched(store: Path) -> None:
    for number in range(1, 15):
        (store / str(number)).mkdir(parents=True)
        (store / str(number) / "mine.txt").write_text("mine")
    (store / "1" / "meta.json").write_text('{"mine": 1}')
    (store / "2" / "meta.json").write_text("[]")
    (store / "3" / "meta.json").write_text("mine")
    (store / "²").mkdir()
    newest = [recorded() for _ in range(12)][-1]
    prune(newest)

    assert all((store / str(n) / "mine.txt").is_file() for n in range(1, 15))
    assert newest == store / "26"
    assert not (store / "15").exists()
    assert not (store / ".gitignore").exists()


def test_a_read_only_folder_gets_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")  # no folder can be made below a file, whoever tries
    monkeypatch.setenv("INSPECTOR_DIR", str(file / "store"))

    assert new_recording().is_dir()
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208 - names


@pytest.mark.usefixtures("store")
def test_a_recording_with_a_name_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_KEEP", "2")
    for _ in range(3):
        recorded()
    called = CliRunner().invoke(command, ["--name", "1", "before", "--delete", "2"])
    assert called.exit_code == 0, called.output
    for _ in range(3):
        prune(recorded())

    assert [path.name for path in stored_recordings()] == ["before", "5", "6"]
    with pytest.raises(UsageError, match="no recording '9'"):
        stored_recording("9")
    refused = CliRunner().invoke(command, ["--name", "5", "before"])
    assert isinstance(refused.exception, UsageError)
