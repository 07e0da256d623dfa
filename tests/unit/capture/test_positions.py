"""Positions of graph breaks, of which torch's own summaries say only a part."""

from __future__ import annotations

import dis
import traceback
from pathlib import Path

from inspector.capture.versions import _position


def test_the_last_line_is_the_instructions_where_the_summary_has_none(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("if (y.sum()\n        > 0):\n    pass\n")
    frame = traceback.FrameSummary(str(path), 1, "forward", lookup_line=False)
    frame.colno, frame.end_colno = 4, 11  # type: ignore[misc]
    known = {(str(path), 1): dis.Positions(1, 2, 4, 11)}

    found = _position(frame, known)

    assert (found.line, found.end_line, found.column, found.end_column) == (1, 2, 4, 11)
    other = {(str(path), 1): dis.Positions(1, 2, 0, 11)}
    assert _position(frame, other).end_line == 1
