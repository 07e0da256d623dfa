"""Folding the records of a process."""

from __future__ import annotations

from pathlib import Path

from inspector.model.compilation import FrameState
from inspector.model.summary import summarize
from tests.unit.logs import FILE, broken, graph, metrics, record, run_of, start


def test_a_compilation(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), broken(), graph(), metrics())
    summary = summarize(run)

    assert (summary.frames, summary.graphs, summary.operators, summary.graph_breaks) == (1, 1, 2, 1)
    assert run.graph_breaks[0].user is not None
    assert (run.graph_breaks[0].user.file, run.graph_breaks[0].user.line) == (FILE, 3)


def test_after_a_reset_torch_counts_anew(tmp_path: Path) -> None:
    once = (start(), broken(), graph(), metrics())
    other = (start(name="g", line=9), graph(), metrics(co_name="g", co_firstlineno=9))
    run = run_of(tmp_path, *once, *once, *other)
    summary = summarize(run)

    assert (summary.frames, summary.graphs, summary.operators, summary.graph_breaks) == (2, 3, 6, 2)
    assert summary.recompiles == 0
    assert [len(frame.compilations) for frame in run.processes[0].frames] == [2, 1]


def test_the_call_at_the_recompile_limit_compiles_nothing(tmp_path: Path) -> None:
    reasons = record("artifact", {"name": "recompile_reasons"}, "0/1", "0/0: n == 1")
    limit = record("artifact", {"name": "recompile_reasons"}, "0/2", "0/1: n == 2")
    run = run_of(
        tmp_path,
        *(start(), graph(), metrics()),
        *(reasons, start("0/1"), graph("0/1"), metrics("0/1")),
        limit,
        metrics(
            "0/2",
            co_name=None,
            has_guarded_code=None,
            graph_op_count=None,
            fail_type="Unsupported",
            fail_reason="Dynamo recompile limit exceeded\n  Explanation: …",
        ),
    )
    summary = summarize(run)

    assert (summary.frames, summary.frames_compiled, summary.graphs) == (1, 1, 2)
    assert (summary.recompiles, summary.recompile_limit_hits) == (1, 1)


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


def test_an_unfinished_compilation_says_so(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), broken())

    assert run.processes[0].frames[0].state is FrameState.UNFINISHED
    assert summarize(run).graph_breaks == 1


def test_unknown_events_are_counted(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), record("brand_new", {}), record("artifact", {"name": "newer"}))

    assert run.processes[0].unknown_events == {"brand_new": 1, "artifact:newer": 1}


def test_an_event_that_cannot_be_read_is_a_warning_with_its_line(tmp_path: Path) -> None:
    run = run_of(tmp_path, start(), record("chromium_event", {}, payload="{"), graph(), metrics())

    assert [(warning.line, "chromium_event" in warning.message) for warning in run.warnings] == [
        (2, True)
    ]
    assert summarize(run).graphs == 1
