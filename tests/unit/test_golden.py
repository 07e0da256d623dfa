"""Reports are what the golden files hold (``python -m tests.golden --regenerate``)."""

from pathlib import Path

import pytest

from tests.golden import COMMANDS, ROOT, Golden, goldens, rendered

GOLDENS = list(goldens())


@pytest.mark.parametrize("golden", GOLDENS, ids=[str(g.path.relative_to(ROOT)) for g in GOLDENS])
def test_the_report_is_the_golden_one(golden: Golden) -> None:
    assert rendered(golden.read(), golden.suffix) == golden.path.read_text(encoding="utf-8")


def test_nothing_else_is_there(root: Path) -> None:
    there = {path for command in COMMANDS for path in root.glob(f"reports/*/{command}.*")}
    there |= set(root.glob("reports/*/profile.*"))
    there |= set(root.glob("tests/unit/render/snapshots/*"))
    assert there == {golden.path for golden in GOLDENS}
