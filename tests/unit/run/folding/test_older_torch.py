"""Logs of torch 2.4 to 2.15 against what torch itself counted when they were recorded.

tests/compile/older_torch.py records them and says how it counts.
"""

import collections
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector import plugins
from inspector.features.compile_time.cold_start import cold_start
from inspector.features.compile_time.report import ColdStartReport
from inspector.features.diff.report import make_diff_report
from inspector.features.graph.report import make_graph_report
from inspector.features.guards.report import make_guards_report
from inspector.features.kernels.report import make_kernels_report
from inspector.report.report import make_report
from inspector.run.compilation import Compilation, Frame
from inspector.run.graph_break import Evidence
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.run.summary import summarize
from inspector.shared.stack import plain_name
from inspector.trace.guard_trees import read_guards
from tests.unit.logs import FILE, metrics, run_of, start

DATA = Path(__file__).parents[2] / "data" / "older_torch"
VERSIONS = ("2.4.1", "2.5.1", "2.6.0", "2.8.0", "2.10.0", "2.13.0", "2.15.0")
WITHOUT_BREAKS = ("2.4.1", "2.5.1")  # torch logs graph breaks since 2.6


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def run(version: str) -> Iterator[Run]:
    with opened(DATA / f"{version}.log.gz") as recording:
        yield read_run(recording)


@pytest.fixture(scope="module")
def said(version: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((DATA / f"{version}.json").read_text("utf-8"))
    return {{"Layers": "forward"}.get(name, name): each for name, each in found.items()}


def frames_of(run: Run, name: str) -> list[Frame]:
    names = {name, "_helper"} if name == "calling" else {name}
    return [frame for frame in run.processes[0].frames if plain_name(frame.name) in names]


def compilations_of(run: Run, name: str) -> list[Compilation]:
    return [item for frame in frames_of(run, name) for item in frame.compilations]


def test_breaks(version: str, run: Run, said: dict[str, dict[str, Any]]) -> None:
    lines = collections.defaultdict(list)
    for record in run.graph_breaks:
        assert record.user is not None
        if record.evidence is not Evidence.FAILURE:
            name = plain_name(record.frame_name).replace("_helper", "calling")
            lines[name].append(record.user.line)
    assert run.processes[0].logs_breaks == (version not in WITHOUT_BREAKS)
    if version in WITHOUT_BREAKS:
        assert {item.evidence for item in run.graph_breaks[:-1]} == {Evidence.PARSED}
        # Of a break in a function that is inlined, these logs have the line of the call. Torch
        # skips a function with a break in a loop, and logs nothing.
        assert lines.pop("calling") == [50, 56] != said["calling"]["graph_break_lines"]
        assert said["looping"]["graph_breaks_logged"]
        expected = {name: each["graph_break_lines"] for name, each in said.items()}
    else:
        expected = {name: each["graph_breaks_logged"] for name, each in said.items()}
    wanted = {name: found for name, found in expected.items() if found and name in lines}
    assert lines == wanted
    assert set(lines) >= {"printing", "printing_thrice", "branching", "reading_item"}
    raised = [item for item in run.graph_breaks if item.evidence is Evidence.FAILURE]
    assert [item.outcome.value for item in raised] == ["raised"]


def test_compilations_and_the_limit(
    version: str, run: Run, said: dict[str, dict[str, Any]]
) -> None:
    for name, each in said.items():
        found = compilations_of(run, name)
        assert sum(item.graphs for item in found) == each["graphs"], name
        assert sum(item.operators or 0 for item in found) == each["operators"], name
        # A call that the limit refuses is announced as a recompilation, too.
        hits = sum(item.hit_limit for item in found)
        is_seen = name == "at_the_limit" and version != "2.4.1"
        assert hits == is_seen
        is_refused = name == "at_the_limit"
        recompiles = sum(item.is_recompile for item in found)
        assert recompiles == each["recompile_messages"] - is_refused, name
    assert [item.state.value for item in frames_of(run, "at_the_limit")] == ["compiled"]
    limits = [item.recompile.limit for item in compilations_of(run, "at_the_limit")
              if item.recompile and item.recompile.limit]  # fmt: skip
    # Torch ran one more graph, in the last call, where it keeps the eight versions.
    assert [limit.keeps_versions for limit in limits if limit] == (
        [] if version == "2.4.1" else [said["at_the_limit"]["graphs_run"] == 9]
    )
    assert all(limit.number == 8 for limit in limits if limit)


def test_guards(run: Run, said: dict[str, dict[str, Any]]) -> None:
    for name, each in said.items():
        trees = [
            read_guards(item.guards_text)
            for frame in frames_of(run, name)
            if frame.name == name
            for item in frame.compilations
            if item.guards_text
        ]
        assert not any(tree.unknown for tree in trees)
        if each["versions"]:
            assert sorted(len(tree.guards) for tree in trees) == sorted(each["guards"]), name


def test_compile_time(version: str, run: Run, said: dict[str, dict[str, Any]]) -> None:
    told_ns = sum(round(1e9 * (time or 0)) for each in said.values() for time in each["compile_s"])
    found_ns = summarize(run).compile_time_ns
    if version == "2.4.1":  # it logs no spans: this is the metrics' sum
        assert found_ns == pytest.approx(told_ns, abs=100)
    # Spans begin before what the metrics measure, with the look at the cache, and end after it.
    assert told_ns * 0.999 < found_ns < told_ns * 1.3
    named = {item.name for item in run.processes[0].compile_times if item.compile_id}
    assert {"printing", "other_sizes", "forward"} <= named


def test_a_function_that_older_torch_skips_is_no_error(tmp_path: Path) -> None:
    # What torch 2.4.1 logs of a break in a `try`; under fullgraph=True the program ends there.
    failed = metrics(
        frame_key="1", has_guarded_code=False, graph_op_count=None, restart_reasons=[],
        fail_type="<class 'torch._dynamo.exc.Unsupported'>", fail_reason="builtin: print",
        fail_user_frame_filename=FILE, fail_user_frame_lineno=3,
    )  # fmt: skip
    other = (start("1/0", "g"), metrics("1/0", frame_key="2", co_name="g"))
    (record,) = run_of(tmp_path, start(), failed, *other).graph_breaks
    assert record.user is not None
    assert (record.outcome.value, record.user.line) == ("frame-skipped", 3)
    (record,) = run_of(tmp_path, start(), failed).graph_breaks
    assert record.outcome.value == "raised"


def test_every_view(run: Run) -> None:
    rules = plugins.load_rules("run")
    kernels = make_kernels_report(run)
    reports = (
        make_report(run, rules),
        make_guards_report(run, rules),
        ColdStartReport(make_report(run, rules), cold_start(run)),
        make_graph_report(run, "dynamo"),
        make_diff_report(kernels, kernels),
    )
    texts = []
    for report in reports:
        stream = io.StringIO()
        plugins.render(report, "terminal", stream)
        texts.append(stream.getvalue())
    assert "could not be read" not in "".join(texts)
    assert "is not compiled" not in texts[0]
