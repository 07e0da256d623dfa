"""Folding the records of a process."""

import json
from pathlib import Path

import pytest

from inspector.report.incomplete import cut_off
from inspector.run.compilation import FrameState
from inspector.run.folding.run import RunBuilder
from inspector.run.sources.log import LogReader
from inspector.run.summary import summarize
from tests.unit.logs import BREAK, FILE, broken, graph, metrics, record, run_of, start

GRAPH = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[8]"):
        l_x_ = L_x_
        y: "f32[8]" = l_x_ * 2;  l_x_ = None
        z: "f32[8]" = torch.relu(y);  y = None
        return (z,)
"""


def test_what_is_being_compiled_is_told_until_it_has_ended(tmp_path: Path) -> None:
    log = tmp_path / "a.log"

    def doing(*records: bytes) -> str:
        log.write_bytes(b"".join(records))
        builder = RunBuilder()
        for envelope in LogReader(log).read(ended=True):
            builder.fold(log.name, envelope)
        return builder.progress.doing

    assert not doing()
    assert doing(start(), graph()) == "f"
    assert not doing(start(), graph(), metrics())
    assert doing(start(), metrics(), start("1/0", "g")) == "g"


def test_after_a_reset_torch_counts_anew(tmp_path: Path) -> None:
    once = (start(), broken(), graph(), metrics())
    other = (start(name="g", line=9), graph(), metrics(co_name="g", co_firstlineno=9))
    run = run_of(tmp_path, *once, *once, *other)
    summary = summarize(run)

    assert (summary.frames, summary.graphs, summary.operators, summary.graph_breaks) == (2, 3, 6, 2)
    assert summary.recompiles == 0
    assert [len(frame.compilations) for frame in run.processes[0].frames] == [2, 1]


def test_a_graph_that_the_backend_refused_is_not_counted(tmp_path: Path) -> None:
    failed = metrics(
        has_guarded_code=False, fail_type="BackendCompilerFailed", fail_reason="backend='x' raised:"
    )
    run = run_of(tmp_path, start(), graph(), failed)

    assert summarize(run).graphs == 0
    assert run.processes[0].frames[0].state is FrameState.FAILED


def test_a_break_that_only_the_metrics_know_is_kept(tmp_path: Path) -> None:
    message = "Failed to trace builtin operator\n  Explanation: no\n\n  Developer debug context: x"
    run = run_of(tmp_path, start(), graph(), metrics(restart_reasons=[message, "other restart"]))
    (found,) = run.graph_breaks

    assert (found.cause.gb_type, found.evidence.value) == (
        "Failed to trace builtin operator",
        "compilation_metrics",
    )


def test_operators_of_a_compilation_without_an_end_are_those_of_its_graph(tmp_path: Path) -> None:
    text = record("dynamo_output_graph", {}, payload=GRAPH)
    assert summarize(run_of(tmp_path, start(), text)).operators == 2
    cut = record("dynamo_output_graph", {}, payload=GRAPH[:-40])
    assert summarize(run_of(tmp_path, start(), cut)).operators == 1  # as far as it is there


def test_a_strict_export_is_a_frame_that_ends(tmp_path: Path) -> None:
    """It has no beginning, and its end has no compile id."""
    end = metrics(co_name=None, co_filename=None, has_guarded_code=None, graph_op_count=None)
    nameless = end.replace(b'"frame_id": 0, "frame_compile_id": 0, ', b"")
    run = run_of(tmp_path, record("dynamo_output_graph", {}, payload=GRAPH), nameless, nameless)
    (frame,) = run.processes[0].frames
    assert (frame.name, frame.state) == ("torch.export", FrameState.COMPILED)
    assert (summarize(run).graphs, summarize(run).operators) == (1, 2)
    assert not cut_off(run)


def test_guards_of_no_frame_are_no_compilation(tmp_path: Path) -> None:
    guards = record("dynamo_cpp_guards_str", {}, payload="+- GuardManager")
    nameless = guards.replace(b'"frame_id": 0, "frame_compile_id": 0, ', b"")
    run = run_of(tmp_path, start(), graph(), metrics(), nameless)
    assert summarize(run).frames == 1


def test_unknown_events_are_counted(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), record("brand_new", {}), record("artifact", {"name": "newer"}))

    assert run.processes[0].unknown_events == {"brand_new": 1, "artifact:newer": 1}


def test_an_event_that_cannot_be_read_is_a_warning_with_its_line(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), record("chromium_event", {}, payload="{"), graph(), metrics())

    assert [(warning.line, "chromium_event" in warning.message) for warning in run.warnings] == [
        (2, True)
    ]
    assert summarize(run).graphs == 1


TEXT = '{"name": "dynamo", "ph": "B", "ts": %s, "tid": %s}'
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "bad",
    [
        record("chromium_event", {}, payload=TEXT % ("Infinity", 0)),
        record("chromium_event", {}, payload=TEXT % ("NaN", 0)),
        record("chromium_event", {}, payload=TEXT % ("-1", 0)),
        record("chromium_event", {}, payload=TEXT % ("1e300", 0)),
        record("chromium_event", {}, payload=TEXT % ("1" * 400, 0)),
        record("chromium_event", {}, payload=TEXT % ("true", 0)),
        record("chromium_event", {}, payload='{"name": "dynamo", "ph": "E"}'),
        record("chromium_event", {}, payload=DEEP),
        record("artifact", {"name": "inspector_call"}, payload=DEEP),
        record("artifact", {"name": "inspector_source"}, payload="5"),
        record("artifact", {"name": "recompile_reasons"}, payload=DEEP),
        record("artifact", {"name": "torch_version"}, payload="[]"),
        record("artifact", {"name": "torch_version"}),
    ],
)
def test_a_record_of_a_wrong_shape_never_ends_the_report(tmp_path: Path, bad: bytes) -> None:
    run = run_of(tmp_path, start(), bad, graph(), metrics())

    assert summarize(run).graphs == 1
    assert run.processes[0].compile_time_ns == 0
    assert [warning.line for warning in run.warnings] == [2]


def test_a_thread_that_is_no_number_is_no_loss(tmp_path: Path) -> None:
    spans = (TEXT % (0, '"x"'), TEXT.replace("B", "E") % (1, "Infinity"))
    run = run_of(tmp_path, *(record("chromium_event", {}, payload=text) for text in spans))

    assert (run.processes[0].compile_time_ns, run.warnings) == (1000, ())


def test_metrics_with_odd_numbers_count(tmp_path: Path) -> None:
    odd = {"start_time": float("nan"), "entire_frame_compile_time_s": float("inf")}
    run = run_of(tmp_path, start(), graph(), metrics(**odd, guard_count=-1, co_firstlineno=True))
    (compilation,) = run.compilations

    assert (compilation.graphs, compilation.guards) == (1, None)
    assert (compilation.start_time_ns, compilation.duration_ns) == (None, None)
    assert run.warnings == ()


def test_a_break_at_a_line_of_thousands_of_digits_is_kept(tmp_path: Path) -> None:
    text = BREAK.replace(f"{FILE}:3", f"{FILE}:{'9' * 5000}")
    reason = record("artifact", {"name": "dynamo_graph_break_reason"}, payload=text)
    run = run_of(tmp_path, start(), reason, graph(), metrics())

    assert summarize(run).graph_breaks == 1
    assert run.warnings == ()


def test_warnings_about_records_are_bounded(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), *[record("chromium_event", {}, payload="{")] * 50)

    assert len(run.warnings) == 21
    assert run.warnings[-1].message == "30 more records could not be read"


@pytest.mark.parametrize(("first_line", "name"), [(1, "f"), (900_000_000, None)])
def test_a_source_is_whole_only_from_its_first_line(
    tmp_path: Path, first_line: int, name: str | None
) -> None:
    source = {"file": FILE, "first_line": first_line, "lines": ["def f():", " x"], "whole": True}
    payload = json.dumps(source)
    run = run_of(tmp_path, record("artifact", {"name": "inspector_source"}, payload=payload))

    assert run.sources.qualname(FILE, 2) == name


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("inductor_output_code", ""),
        ("artifact", "fx_graph_cache_miss"),
        ("artifact", "fx_graph_cache_hit"),
        ("artifact", "aotautograd_cache_hit"),
    ],
)
def test_what_inductor_lowered_is_known_from_what_it_logs(
    tmp_path: Path, key: str, name: str
) -> None:
    said = record(key, {"name": name} if name else {}, "1/0", "anything")
    other = (start("1/0", name="g", line=9), said, metrics("1/0", co_name="g", co_firstlineno=9))
    run = run_of(tmp_path, start(), graph(), metrics(), *other)

    assert run.processes[0].lowered == {"1/0"}
    assert not run.processes[0].unknown_events
