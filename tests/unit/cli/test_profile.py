"""``inspect profile`` without torch: what is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from inspector import cli as commands

if TYPE_CHECKING:
    from pathlib import Path

ALONE = "--kernel reports on one kernel and cannot be combined with a timeline."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "x.docx"),
         "json, junit.xml, md, perfetto.json, sarif, trace.json, txt."),
        (("-o", "x.jsn"), "Did you mean json?"),
        (("-o", "x.csv", "--kernel", "sum"), "html, json, junit.xml, md, sarif, txt."),
        (("-o", "x.perfetto.json", "--kernel", "sum"), ALONE),
    ],
)  # fmt: skip
def test_files_that_cannot_be_written_are_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["inspect", "profile", "model.py", *arguments])
    assert commands.main() == 2
    assert said in capsys.readouterr().err
