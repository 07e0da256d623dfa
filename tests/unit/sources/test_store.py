"""The folder of the last recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import RecordingError
from inspector.sources.store import new_recording, newest_recording, prune


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSPECTOR_DIR", str(tmp_path / "store"))
    return tmp_path / "store"


def test_recordings_are_numbered_and_ignored_by_git(store: Path) -> None:
    assert [new_recording().name for _ in range(3)] == ["1", "2", "3"]
    assert (store / ".gitignore").read_text() == "*\n"


def test_the_newest_one_with_a_description_is_found(store: Path) -> None:
    with pytest.raises(RecordingError, match="no recording here"):
        newest_recording()
    for _ in range(11):
        (new_recording() / "meta.json").write_text("{}")
    new_recording()  # never described

    assert newest_recording() == store / "11"


def test_the_last_ten_are_kept(store: Path) -> None:
    newest = [new_recording() for _ in range(14)][-1]
    prune(newest)

    kept = sorted(int(path.name) for path in store.iterdir() if path.is_dir())
    assert kept == list(range(5, 15))


def test_a_read_only_folder_gets_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")  # no folder can be made below a file, whoever tries
    monkeypatch.setenv("INSPECTOR_DIR", str(file / "store"))

    assert new_recording().is_dir()
