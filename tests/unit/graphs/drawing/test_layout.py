"""The program `dot`."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from inspector.errors import EnvironmentLacksError, InspectorError, UsageError
from inspector.graphs.drawing.layout import render, write
from tests.unit.graphs.drawing.drawn import needs_dot

DOT = "digraph { a -> b }"


@needs_dot
@pytest.mark.parametrize(
    ("suffix", "begin"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_pictures(tmp_path: Path, suffix: str, begin: bytes) -> None:
    path = tmp_path / f"picture{suffix}"
    write(DOT, path)
    assert path.read_bytes().startswith(begin)


@pytest.mark.parametrize("suffix", [".dot", ".gv", ".GV"])
def test_sources_need_no_program(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    write(DOT, tmp_path / "picture", suffix)
    assert (tmp_path / "picture").read_text() == DOT


def test_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentLacksError, match="apt install graphviz"):
        render(DOT, ".svg")


def test_no_picture() -> None:
    with pytest.raises(UsageError, match=r"\.svg"):
        render(DOT, ".docx")


def test_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "sleep 5", monkeypatch)
    with pytest.raises(InspectorError, match="within 1 second"):
        render(DOT, ".svg", timeout_s=0.6)


def test_a_failure_shows_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "echo went wrong >&2; exit 3", monkeypatch)
    with pytest.raises(InspectorError) as caught:
        render(DOT, ".svg")
    assert caught.value.detail == "went wrong"


def _program(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
