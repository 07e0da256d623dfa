"""What ``inspect bench --save`` has kept of several models, where it is none, or is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.commands.bench_shown import is_kept_collection, kept_collection
from inspector.errors import RecordingError


def note(folder: Path, name: str, key: str) -> None:
    fields = {"key": key, "failure": "it raises", "torch": "2", "digest": "d", "seconds": 0.5}
    (folder / name).write_text(json.dumps(fields))


def test_what_is_no_such_folder_is_none(tmp_path: Path) -> None:
    assert not is_kept_collection([])
    assert not is_kept_collection([str(tmp_path / "nothing")])
    assert not is_kept_collection([str(tmp_path)])
    for number, key in enumerate(("{", "[]", '["a.py", 3]', '["a.py"]')):
        note(tmp_path, f"00{number}-a.failed.json", key)
    (tmp_path / "005-b.failed.json").write_text("\0")
    (tmp_path / "006-c").mkdir()
    (tmp_path / "006-c" / "meta.json").write_text("{")
    assert not is_kept_collection([str(tmp_path)])
    with pytest.raises(RecordingError, match=r"No recording in .* came to its end"):
        kept_collection(tmp_path)


def test_models_that_failed_are_lines_of_the_newest_options(tmp_path: Path) -> None:
    note(tmp_path, "001-a.failed.json", '["a.py", {"bench": true, "sha256": "1", "modes": "all"}]')
    note(tmp_path, "002-a.failed.json", '["a.py", {"bench": true, "sha256": "1"}]')
    note(tmp_path, "003-b.failed.json", '["b.py", {"bench": true, "sha256": "2"}]')
    assert is_kept_collection([str(tmp_path)])
    assert not is_kept_collection([str(tmp_path), "c.py"])
    report, code = kept_collection(tmp_path)
    assert [(model.name, model.failure) for model in report.models] == [
        ("a.py", "it raises"), ("b.py", "it raises")
    ]  # fmt: skip
    assert code == 3
    assert any("1 other set of options" in notice for notice in report.notices)


def recording(place: Path, target: str) -> None:
    meta = {"format_version": 1, "target": target, "settings": {"bench": True}, "ended": "whole"}
    place.mkdir()
    (place / "meta.json").write_text(json.dumps(meta))


def test_what_is_damaged_is_a_line_and_numbers_are_the_order(tmp_path: Path) -> None:
    recording(tmp_path / "1000-b-py", "b.py")
    recording(tmp_path / "999-a-py", "a.py")
    report, code = kept_collection(tmp_path)
    assert [model.name for model in report.models] == ["a.py", "b.py"]
    assert all("recording" in model.failure for model in report.models)
    assert code == 3


def test_the_folder_that_keeps_the_last_recordings_is_no_collection(tmp_path: Path) -> None:
    recording(tmp_path / "7", "a.py")
    assert not is_kept_collection([str(tmp_path)])
