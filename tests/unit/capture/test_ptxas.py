"""Whether torch and Triton bring assemblers of different versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.capture.log import environment

SAYS = """#!/bin/sh
echo "ptxas: NVIDIA (R) Ptx optimizing assembler"
echo "Cuda compilation tools, release {release}, V{release}.88"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TRITON_PTXAS_PATH", raising=False)
    monkeypatch.setattr(environment, "_folder", lambda package: tmp_path / package)
    return tmp_path


def make(folder: Path, place: str, release: str) -> None:
    file = folder / place / "bin" / "ptxas"
    file.parent.mkdir(parents=True)
    file.write_text(SAYS.format(release=release))
    file.chmod(0o755)


def test_different_ones_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(folder, "torch", "13.0")
    make(folder, "triton/backends/nvidia", "12.8")
    assert environment.differing_ptxas() == {"torch": "13.0.88", "triton": "12.8.88"}
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/usr/bin/ptxas")
    assert not environment.differing_ptxas()  # all take that one


def test_one_alone_or_a_broken_one_is_not(folder: Path) -> None:
    make(folder, "torch", "12.8")
    assert not environment.differing_ptxas()
    broken = folder / "triton" / "backends" / "nvidia" / "bin" / "ptxas"
    broken.parent.mkdir(parents=True)
    broken.write_text("not a program")
    assert not environment.differing_ptxas()
