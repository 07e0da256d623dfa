"""``inspect profile`` without torch: what is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from inspector import cli as commands

if TYPE_CHECKING:
    from pathlib import Path

ALL = (
    "html, json, md, txt, .svg, .png, .pdf (a roofline), .perfetto.json, .trace.json (for Perfetto)"
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.docx", f"Choose one of {ALL}."),
        ("x.svgz", "Did you mean .svg?"),
        ("x.jsn", "Did you mean json?"),
    ],
)
def test_of_an_unknown_ending_all_that_can_be_written_are_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["inspect", "profile", "model.py", "-o", name])
    assert commands.main() == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.csv", "x", "x.svg", "x.perfetto.json"])
def test_of_one_kernel_there_are_reports_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["inspect", "profile", "model.py", "--kernel", "sum", "-o", name]
    monkeypatch.setattr(sys, "argv", asked)
    assert commands.main() == 2
    assert (
        "A report on one kernel can be written as .html, .json, .md or .txt."
        in capsys.readouterr().err
    )
