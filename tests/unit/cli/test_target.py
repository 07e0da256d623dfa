"""What a command's target is, and how the commands that it suggests name it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inspector.cli.target import reading
from inspector.errors import UsageError
from inspector.report.command_line import command_about
from inspector.shared.meta import FORMAT_VERSION, META_FILE, Meta
from tests.unit.logs import start

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.run.run import Run


def read(target: str | None) -> Run:
    with reading(target) as run:
        return run


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the newest recording and a folder of logs in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INSPECTOR_DIR", raising=False)
    for name in (".inspector/3", ".inspector/4", "some logs/one"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "a.log").write_bytes(start())
        if name.startswith("."):
            meta = Meta(FORMAT_VERSION, folder.name, "model.py")
            text = meta.text({"tool_version": "0"})
            (folder / META_FILE).write_text(text, encoding="utf-8")
    return tmp_path / ".inspector"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (None, "inspect graph --ops"),
        (".inspector/4", "inspect graph --ops"),
        ("4", "inspect graph --ops"),
        (".inspector/3", "inspect graph .inspector/3 --ops"),
        ("3", "inspect graph 3 --ops"),
        ("some logs/one", "inspect graph 'some logs/one' --ops"),
    ],
)
def test_a_suggested_command_names_what_was_read(target: str | None, said: str) -> None:
    assert command_about(read(target), "graph", "--ops") == said


@pytest.mark.parametrize("target", ["", " "])
def test_an_empty_name_is_not_the_working_directory(target: str) -> None:
    with pytest.raises(UsageError, match="is empty"):
        read(target)


def report_file(folder: Path, **fields: object) -> str:
    known = {"format_version": 1, "tool_version": "0.1", "recording": {"target": "my model.py"}}
    (folder / "old report.json").write_text(json.dumps({**known, **fields}), encoding="utf-8")
    return "old report.json"


def test_a_report_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"old report\.json is a report, not a recording"):
        read(report_file(tmp_path, kind="bench"))
