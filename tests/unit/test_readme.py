"""The README shows what the tool writes."""

from __future__ import annotations

import re
from pathlib import Path


def test_the_first_report_is_from_the_golden_one(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    golden = (root / "reports/graph_breaks/explain.80.txt").read_text(encoding="utf-8")
    (report,) = re.findall(r"^```text\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    assert report in golden
