"""The program `dot`."""

import stat
from pathlib import Path

import pytest

from inspector.cli.graph_files import render
from inspector.errors import EnvironmentLacksError, InspectorError
from tests.unit.features.graph.drawing.pictures import needs_dot

DOT = "digraph { a -> b }"


@needs_dot
@pytest.mark.parametrize(
    ("suffix", "begin"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_pictures(suffix: str, begin: bytes) -> None:
    assert render(DOT, suffix).startswith(begin)


@pytest.mark.parametrize("suffix", [".dot", ".gv"])
def test_sources_need_no_program(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert render(DOT, suffix) == DOT.encode()


def test_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentLacksError, match="apt install graphviz"):
        render(DOT, ".svg")


def test_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, "sleep 5", monkeypatch)
    with pytest.raises(InspectorError, match="timed out after 1 second"):
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
