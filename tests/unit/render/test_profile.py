"""Reports on profiles, out of a log written by hand, in every format."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from inspector.errors import RecordingError
from inspector.features.graph.wording import TIMES
from inspector.features.profile.drawing.roofline_plot import draw_roofline
from inspector.features.profile.report import make_profile_report
from inspector.features.profile.roofline import make_roofline
from inspector.features.profile.timeline import timeline
from tests.unit.logs import run_of
from tests.unit.render import hostile, runs
from tests.unit.render.profile_reports import WIDTH, artifact, as_json, profile, rendered, report


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


SLOWER = {
    "eager_ns": [70_000] * 30,
    "eager_work": [[5, 30_000]],
    "eager_copies": [[1, 10_000]],
    "idle_ns": {"launching": 60_000, "guards": 30_000, "graph-break": 90_000},
    "eager_idle_ns": {"outside": 80_000},
}


def test_slower_than_eager_is_divided_by_cause(tmp_path: Path) -> None:
    found = report(tmp_path, profile(**SLOWER))
    text = rendered(found, "terminal")
    words = " ".join(text.split())
    # Without a graph break in the log, what is between graphs is the program's own code.
    assert (
        "+30 µs per call: kernels -10 µs, copies +20 µs, guards +10 µs, code that launches kernels "
        "+10 µs; 2 launches, 5 in eager" in words
    )
    rows = [line.split() for line in text.split("Slowdown by cause")[1].split("\n")[2:7]]
    assert rows[0] == ["kernels", "20", "µs", "10", "µs", "-10", "µs"]
    assert rows[3][-6:] == ["40", "µs", "50", "µs", "+10", "µs"]
    assert rows[4] == ["call", "70", "µs", "100", "µs", "+30", "µs"]
    differences = [int(row[-2]) for row in rows]
    assert sum(differences[:-1]) == differences[-1]
    assert max(map(cell_len, text.splitlines())) <= WIDTH
    assert "| copies | 10 µs | 30 µs | +20 µs |" in rendered(found, "markdown").replace("\\", "")
    gap = as_json(found)["profiles"][0]["compiled_less_eager"]
    assert gap["whole_ns"] == 30_000
    assert sum(part["more_ns"] for part in gap["parts"]) + gap["rest_ns"] == pytest.approx(30_000)
    for name in ("terminal", "markdown"):  # that of what is faster is in the JSON report alone
        faster = report(tmp_path, profile(**{**SLOWER, "eager_ns": [170_000] * 30}))
        assert "Slowdown" not in rendered(faster, name)


def test_on_the_cpu_the_host_s_time_has_its_causes(tmp_path: Path) -> None:
    launches = [{"kind": "cpu", "name": "aten::relu", "stream": 1, "place": {}}]
    calls = [{"wall_ns": 200_000, "spans_ns": [[0, 80_000]]}] * 30
    cpu = {"kind": "cpu", "threads": 2}
    found = report(
        tmp_path,
        profile(**{**SLOWER, "device": cpu, "launches": launches, "calls": calls,
                   "eager_watched_ns": [60_000], "eager_copies": [[0, 0]]}),
    )  # fmt: skip
    words = " ".join(rendered(found, "terminal").split())
    assert "generated code between statements" in words
    assert "1 kernel or operator, 5 in eager" in words
    assert "kernels and operators +5.0 µs" in words  # 40 % of 100 µs, 50 % of 70 µs
    assert "GPU" not in words.replace("no GPU", "").split("Peak rates of NVIDIA")[0]


def test_the_head_of_each_input_has_its_shapes(tmp_path: Path) -> None:
    tensor = {"dtype": "float32", "size": [512, 256]}
    first = profile(arguments=[tensor, {"dtype": "int64", "size": []}, {"value": "3"}])
    second = profile(input=1, arguments=[tensor] * 7)
    found = report(tmp_path, first, second)
    heads = [line for line in rendered(found, "markdown").splitlines() if "calls timed" in line]
    assert heads == [
        (
            f"input 1 (512{TIMES}256 float32, scalar int64, 3): NVIDIA H200 · 2 launches · "
            "30 calls timed"
        ),
        (
            f"## input 2 ({', '.join([f'512{TIMES}256 float32'] * 4)}, … 3 more): NVIDIA H200 · "
            "2 launches · 30 calls timed"
        ),
    ]
    one = report(tmp_path, first)
    assert f"input (512{TIMES}256 float32, scalar int64, 3): NVIDIA" in rendered(one, "terminal")
    assert as_json(one)["profiles"][0]["arguments"] == [
        tensor, {"dtype": "int64", "size": []}, {"value": "3"},
    ]  # fmt: skip
    odd = profile(arguments=[{"dtype": hostile.TEXT, "size": ["x", -1]}, {"value": hostile.TEXT}])
    assert "\x1b" not in rendered(report(tmp_path, odd), "terminal")


def test_without_a_profile_it_says_how_to_get_one(tmp_path: Path) -> None:
    found = make_profile_report(runs.run_of(runs.process_of()))
    text = " ".join(rendered(found, "terminal").split())
    assert "the recording has no profile: `inspect profile model.py` records one" in text
    assert as_json(found)["profiles"] == []
    (tmp_path / "unused").touch()


def cut(tmp_path: Path, *records: bytes, **settings: object) -> str:
    """What is said about a log that ends after some records, and says nothing of its end."""
    found = run_of(tmp_path, *records)
    found = dataclasses.replace(found, meta=dataclasses.replace(found.meta, settings=settings))
    return " ".join(rendered(make_profile_report(found), "terminal").split())


def test_a_log_that_ends_too_early_is_no_recording_without_a_profile(tmp_path: Path) -> None:
    ended, first = artifact("end", {"v": 1}), artifact("device_profile", profile())
    ends = "the log ends early"
    call = artifact("call", {"v": 1, "input": 0, "call": 0, "state": "begin"})
    assert ends in cut(tmp_path, call, profile=True)
    assert "the recording has no profile" in cut(tmp_path, ended, profile=True)
    assert "the recording has no profile" in cut(tmp_path, call, measure=False)
    said = cut(tmp_path, first, profile=True)
    assert "eager" in said
    assert ends in said
    assert ends not in cut(tmp_path, first, ended, profile=True)


def test_a_crash_leaves_what_the_first_round_measured(tmp_path: Path) -> None:
    begun = artifact("device_profile_so_far", profile(input=1, plain_ns=[100_000] * 3))
    whole = artifact("device_profile", profile())
    (tmp_path / "crashed").mkdir()
    crashed = make_profile_report(run_of(tmp_path / "crashed", whole, begun))
    assert [item.budget.calls for item in crashed.profiles] == [30, 3]
    # What was measured to the end takes the place of its beginning.
    found = make_profile_report(run_of(tmp_path, begun, whole))
    assert [item.budget.calls for item in found.profiles] == [30]


def test_damaged_profiles_are_said(tmp_path: Path) -> None:
    odd = profile(launches=[{"kind": 7}, None], calls=[{"spans_ns": [[1]]}, 9], idle_ns=[1])
    found = report(tmp_path, odd, {"v": 1})
    assert len(found.profiles) == 2
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_names_stay_text(tmp_path: Path) -> None:
    launches = [{"kind": "kernel", "name": hostile.TEXT, "place": {"operator": hostile.TEXT,
                 "frames": [f"/p/{hostile.TEXT}(4): {hostile.TEXT}"]}}]  # fmt: skip
    calls = [{"wall_ns": 130_000, "spans_ns": [[1, 2000]]}] * 3
    found = report(tmp_path, profile(launches=launches, calls=calls))
    page = MarkdownIt("commonmark").enable("table").render(rendered(found, "markdown"))
    assert "<script" not in page
    text = rendered(found, "terminal")
    assert not set(text) & {"\x1b", "\x9b", "\r", "\x07"}
    as_json(found)


def test_a_roofline_without_points_is_refused(tmp_path: Path) -> None:
    (found,) = report(tmp_path, profile()).profiles
    with pytest.raises(RecordingError, match="both bytes and operations"):
        draw_roofline(make_roofline(found.work, None), "title", "svg")


def test_a_call_is_a_file_for_perfetto(tmp_path: Path) -> None:
    worked = [["triton_poi_fused_0", 7, 20_000, 30_500]]
    (found,) = report(tmp_path, profile(worked=worked)).profiles
    made = json.loads(timeline(found.profile, "model.py"))
    names = {event["args"]["name"] for event in made["traceEvents"] if event["ph"] == "M"}
    assert names >= {"host", "NVIDIA H200", "thread 1", "stream 7"}
    events = [event for event in made["traceEvents"] if event["ph"] == "X"]
    assert events == [
        {"ph": "X", "name": "TorchDynamo Cache Lookup", "pid": 1, "tid": 1, "ts": 0.005,
         "dur": 0.004},
        {"ph": "X", "name": "triton_poi_fused_0", "pid": 2, "tid": 7, "ts": 20.0, "dur": 10.5},
    ]  # fmt: skip
