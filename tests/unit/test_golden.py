"""The reports of the samples are what is in reports/ (``python -m tests.golden --regenerate``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import golden

if TYPE_CHECKING:
    from pathlib import Path

RECORDINGS = golden.recordings()


@pytest.mark.parametrize("suffix", golden.FORMATS)
@pytest.mark.parametrize("recording", RECORDINGS, ids=[path.parent.name for path in RECORDINGS])
def test_the_report_is_the_golden_one(recording: Path, suffix: str) -> None:
    expected = golden.golden_path(recording, suffix).read_text(encoding="utf-8")
    assert golden.rendered(golden.report_of(recording), suffix) == expected


def test_every_golden_report_has_a_recording(root: Path) -> None:
    folders = {path.parent.name for path in root.glob("reports/*/explain.*")}
    assert folders <= {path.parent.name for path in RECORDINGS}
