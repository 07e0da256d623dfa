"""Reports on one kernel, out of a log written by hand, in every format."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from inspector import plugins
from inspector.cli.kernel_choice import benched, check_kernel_options, which_kernel
from inspector.cli.schema import schema_of
from inspector.errors import RecordingError, UsageError
from inspector.features.profile.kernel_bench.report import (
    KernelBenchReport,
    Rate,
    make_kernel_bench_report,
)
from inspector.features.profile.report import make_profile_report
from inspector.records.kernel_bench import KernelBench
from tests.unit.render import hostile
from tests.unit.render.bench_reports import NAME, config
from tests.unit.render.bench_reports import benched as bench
from tests.unit.render.bench_reports import kernel_report as report
from tests.unit.render.bench_reports import kernel_run as run

SCHEMA = schema_of("kernel-bench")
WIDTH = 80


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def rendered(found: KernelBenchReport, name: str) -> str:
    stream = io.StringIO()
    plugins.render(found, name, stream)
    return stream.getvalue()


def as_json(found: KernelBenchReport) -> Any:
    made = json.loads(rendered(found, "json"))
    jsonschema.validate(made, SCHEMA)
    return made


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {"values": 4, "cold_ns": [1, "x", -3, 1e400]}},
        {"config": 7, "arguments": [None, {"size": [True]}], "places": [[1], "x", [1, 2]]},
        {"launches": [{}, {"count": 1e9}], "launch": -4},
        {"config": {}},
    ],
)
def test_damaged_benchmarks_are_rendered(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = report(tmp_path, bench(**changes))
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_names_stay_text(tmp_path: Path) -> None:
    odd = bench(
        name=hostile.TEXT,
        arguments=[{"name": hostile.TEXT, "dtype": hostile.TEXT, "size": [2]}],
        config=config(900, values={hostile.TEXT: hostile.TEXT}),
    )
    found = report(tmp_path, odd)
    page = MarkdownIt("commonmark").enable("table").render(rendered(found, "markdown"))
    assert "<script" not in page
    text = rendered(found, "terminal")
    assert not set(text) & {"\x1b", "\x9b", "\r", "\x07"}
    as_json(found)


def test_a_name_of_several_kernels_is_refused_with_their_names(tmp_path: Path) -> None:
    names = ["triton_red_fused_sum_1", "triton_red_fused_sum_3", "triton_poi_2"]
    several = {"v": 1, "asked": "sum", "matching": names[:2], "kernels": names}
    with pytest.raises(UsageError, match="in the names of 2 kernels") as raised:
        benched(run(tmp_path, several), "sum")
    assert "triton_red_fused_sum_1, triton_red_fused_sum_3" in raised.value.next_step
    many = [f"triton_red_fused_sum_{number}" for number in range(30)]
    said = which_kernel("sum", many, [*many, "triton_poi_2"])
    assert said.next_step == f"Name one of them: {', '.join(many)}."
    none = {"v": 1, "asked": "triton_poi_3", "matching": [], "kernels": names}
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="no kernel 'triton_poi_3'") as raised:
        benched(run(tmp_path / "other", none), "triton_poi_3")
    assert "triton_poi_2" in raised.value.next_step


def test_a_recording_without_it_says_how_to_record_it(tmp_path: Path) -> None:
    recorded = run(tmp_path, bench())
    assert benched(recorded, "fused_sum").name == NAME
    with pytest.raises(RecordingError, match="no times of 'softmax'") as raised:
        benched(recorded, "softmax")
    assert NAME in raised.value.next_step
    timed = ("cpp_fused_add_1", "cpp_fused_add_2")
    with pytest.raises(UsageError, match="in the names of 2 kernels") as ambiguous:
        benched(recorded, "cpp_", timed)
    assert ambiguous.value.next_step == f"Name one of them: {', '.join(timed)}."


def test_the_command_that_shows_the_whole_model_comes_last(tmp_path: Path) -> None:
    made = run(tmp_path, bench())
    benchmark = made.processes[0].last(KernelBench)
    assert benchmark is not None
    for place, command in (("", "inspect profile"), ("kept/a b", "inspect profile 'kept/a b'")):
        profiled = make_profile_report(dataclasses.replace(made, place=place))
        found = make_kernel_bench_report(profiled, benchmark)
        last = rendered(found, "terminal").splitlines()[-1]
        assert last == f"next: {command}"
        assert f"```sh\n{command}\n```" in rendered(found, "markdown")
        assert as_json(found)["next_steps"] == [command]


def test_what_is_of_all_kernels_is_refused_with_one() -> None:
    with pytest.raises(UsageError, match="--counters"):
        check_kernel_options({"kernel": "x", "counters": True}, is_file=False)
    with pytest.raises(UsageError, match="picture"):
        check_kernel_options({"kernel": "x"}, is_file=True)
    check_kernel_options({"kernel": "x"}, is_file=False)


def near_a_ceiling(tmp_path: Path, share: float, **changes: Any) -> KernelBenchReport:
    """With a share of memory's bandwidth by Inductor's count of bytes."""
    alone = bench(**changes)
    rates = (Rate("cold", "bytes", share * 4e12, 4e12, "copy_bytes_per_s"),)
    found = report(tmp_path, alone)
    return dataclasses.replace(found, rates=rates, bytes_are_inductors=True)


NO_WIN = "only fewer bytes help"


def test_near_a_ceiling_only_fewer_bytes_help(tmp_path: Path) -> None:
    found = near_a_ceiling(tmp_path, 0.91)
    for name in ("terminal", "markdown"):
        words = " ".join(rendered(found, name).replace("\\", "").split())
        assert (
            "alone, with cold caches, it reaches 91% of memory's bandwidth: only fewer bytes help "
            "(fusion with what writes its inputs or reads its results)"
        ) in words


@pytest.mark.parametrize("share", [0.79, 1.2])
def test_far_from_a_ceiling_nothing_is_said_of_it(tmp_path: Path, share: float) -> None:
    assert NO_WIN not in rendered(near_a_ceiling(tmp_path, share), "terminal")


def test_nothing_is_said_of_a_ceiling_where_a_figure_is_not_sure(tmp_path: Path) -> None:
    found = near_a_ceiling(tmp_path, 0.91)
    warm = (dataclasses.replace(found.rates[0], regime="warm"),)
    for other in (
        dataclasses.replace(found, bytes_are_inductors=False),
        dataclasses.replace(found, ceilings=None, rates=()),
        # A cache that has a part of it makes it as fast, too.
        dataclasses.replace(found, rates=warm, regime="warm", bytes_=60_000_000),
    ):
        assert NO_WIN not in rendered(other, "terminal")
    large = dataclasses.replace(found, rates=warm, regime="warm", bytes_=100_000_000)
    assert NO_WIN in " ".join(rendered(large, "terminal").split())
