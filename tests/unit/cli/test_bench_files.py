"""Which reports of a bench can be a picture or a table, asked before anything is measured."""

from __future__ import annotations

import csv
import dataclasses
import importlib.util
from pathlib import Path

import pytest

from inspector.cli.bench_files import (
    Measurements,
    check_bench_file,
    is_bench_file,
    write_bench_file,
)
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.features.bench.collection_report import (
    CollectionReport,
    Measured,
    make_collection_report,
)
from inspector.features.bench.report import BenchReport
from inspector.shared.variation import Assignment
from tests.unit.bench_logs import PLAN, block, report_of

SUFFIXES = (".csv", ".SVG", ".png", ".pdf")


@pytest.mark.parametrize(
    ("kind", "can_be"), [(BenchReport, SUFFIXES), (CollectionReport, (".csv",))]
)
def test_each_kind_has_its_files(
    kind: type[Measurements], can_be: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    for name in ("bench.md", "bench.json", "bench.TXT"):
        assert not is_bench_file(Path(name))
        check_bench_file(Path(name), kind)
    for suffix in SUFFIXES:
        output = Path(f"bench{suffix}")
        assert is_bench_file(output)
        if suffix in can_be:
            check_bench_file(output, kind)
        else:
            with pytest.raises(UsageError):
                check_bench_file(output, kind)


def test_of_an_unknown_suffix_all_that_there_are_are_told() -> None:
    with pytest.raises(UsageError) as raised:
        check_bench_file(Path("bench.docx"), BenchReport)
    assert raised.value.next_step == "Choose one of .csv, .json, .md, .pdf, .png, .svg, .txt."
    with pytest.raises(UsageError) as raised:
        check_bench_file(Path("bench"), CollectionReport)
    assert raised.value.next_step == "Choose one of .csv, .json, .md, .txt."


def test_a_picture_needs_matplotlib_and_a_table_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    check_bench_file(Path("bench.csv"), BenchReport)
    with pytest.raises(EnvironmentLacksError, match="pip install matplotlib"):
        check_bench_file(Path("bench.svg"), BenchReport)
    with pytest.raises(UsageError, match="cannot be drawn"):  # installing it would be in vain
        check_bench_file(Path("bench.svg"), CollectionReport)


def test_a_model_that_fails_has_a_line_in_a_table_too(tmp_path: Path) -> None:
    failed = Measured("zoo/b.py", (), None, "Loading it failed: no, weights", 0.0)
    report = make_collection_report([failed], 1)
    with pytest.raises(UsageError, match="cannot be drawn"):
        write_bench_file(report, tmp_path / "several.png")
    write_bench_file(report, tmp_path / "several.csv")
    with (tmp_path / "several.csv").open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert (line["target"], line["failure"]) == ("zoo/b.py", "Loading it failed: no, weights")
    assert line["latency_ns"] == ""


def test_what_varies_is_named_in_pictures_and_tables(tmp_path: Path) -> None:
    """Of a number the shapes say nothing, and four digits are written out."""
    pytest.importorskip("matplotlib")
    variations = ((Assignment("n", None, 17),), (Assignment("n", None, 100),))
    events = [block(at, 500_000 + 1_310_000 * at, input=each) for at in (0, 1) for each in (0, 1)]
    plan = dataclasses.replace(PLAN, variations=variations)
    report = report_of(tmp_path, *events, plan=plan)
    write_bench_file(report, tmp_path / "bench.svg")
    picture = (tmp_path / "bench.svg").read_text()
    assert picture.count("n=17") == picture.count("n=100") > 0
    assert "1,810 µs" in picture
    assert "e+03" not in picture
    write_bench_file(report, tmp_path / "bench.csv")
    lines = (tmp_path / "bench.csv").read_text().splitlines()[1:]
    assert sorted({line.split(",")[3] for line in lines}) == ["n=100", "n=17"]


def test_one_slow_call_in_twenty_does_not_squash_the_bars(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    late = (1_000_000, 1_000_000, 1_000_000, 40_000_000)
    events = [block(0, *[1_000_000] * 4), block(1, *late)]
    report = report_of(tmp_path, *events, plan=PLAN)
    write_bench_file(report, tmp_path / "bench.svg")
    assert (tmp_path / "bench.svg").read_text().count("whisker to") == 1
