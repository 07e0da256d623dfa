"""Pictures of a bench."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from inspector.cli.bench_files import check_bench_file, write_picture
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.report import BenchReport
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, report_of


def test_a_picture_is_of_one_model_and_needs_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    for name in ("bench.md", "bench.json", "bench.TXT", "bench.SVG", "bench.png", "bench.pdf"):
        check_bench_file(Path(name), BenchReport)
    with pytest.raises(UsageError, match="no picture"):
        check_bench_file(Path("bench.svg"), CollectionReport)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EnvironmentLacksError, match="pip install matplotlib"):
        check_bench_file(Path("bench.svg"), BenchReport)


def test_what_varies_is_named_in_pictures(tmp_path: Path) -> None:
    """Of a number the shapes say nothing, and four digits are written out."""
    pytest.importorskip("matplotlib")
    variations = ((Assignment("n", None, 17),), (Assignment("n", None, 100),))
    events = [block(at, 500_000 + 1_310_000 * at, input=each) for at in (0, 1) for each in (0, 1)]
    plan = dataclasses.replace(PLAN, variations=variations)
    report = report_of(tmp_path, *events, plan=plan)
    write_picture(report, tmp_path / "bench.svg")
    picture = (tmp_path / "bench.svg").read_text()
    assert picture.count("n=17") == picture.count("n=100") > 0
    assert "1,810 µs" in picture
    assert "e+03" not in picture


def test_one_slow_call_in_twenty_does_not_squash_the_bars(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    late = (1_000_000, 1_000_000, 1_000_000, 40_000_000)
    events = [block(0, *[1_000_000] * 4), block(1, *late)]
    report = report_of(tmp_path, *events, plan=PLAN)
    write_picture(report, tmp_path / "bench.svg")
    assert (tmp_path / "bench.svg").read_text().count("whisker to") == 1
