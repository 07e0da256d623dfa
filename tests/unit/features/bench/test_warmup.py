"""A recorded warm-up as a terminal, Markdown, JSON and a script show it."""

from __future__ import annotations

import ast
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest

from inspector import plugins
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.features.bench.warmup_script import render as render_script
from inspector.features.bench.warmup_wording import (
    check_lines,
    start_rows,
    warmup_notices,
    warmup_verdict,
)
from inspector.records.bench import Warmup
from inspector.shared.warmup import StartEnd, WarmupCall, WarmupPlan
from tests.unit.render.bench_reports import made_warmup as made


@pytest.fixture(scope="module")
def report() -> WarmupReport:
    return made()


def rendered(report: WarmupReport, format_: str) -> str:
    stream = io.StringIO()
    plugins.render(report, format_, stream)
    return stream.getvalue()


def rows(report: WarmupReport) -> dict[str, tuple[str, ...]]:
    return {row[0].strip(): row[1:] for row in start_rows(report)}


def test_starts_stand_beside_each_other(report: WarmupReport) -> None:
    assert [start.name for start in report.starts] == ["eager", "cold", "directory", "artifact"]
    found = rows(report)
    assert found["compilations"] == ("", "3", "2", "2")
    assert found["graphs cached"] == ("", "0", "2", "2")
    assert found["graphs compiled"] == ("", "3", "0", "0")
    assert found["C++ compiler ran"] == ("", "5", "1", "4")
    assert found["artifact is loaded"][:3] == ("-", "-", "-")
    cold, directory = report.starts[1], report.starts[2]
    assert directory.first_ns < cold.first_ns


def test_what_still_compiles_has_its_reason(report: WarmupReport) -> None:
    """As if the plan had been its first call alone: then the second compilation is the other."""
    check = report.plan.check
    assert check is not None
    first, second = check.calls
    later = tuple(
        WarmupCall(call.input, call.time_ns, second.compiled if call.input == 3 else 0)
        for call in check.later
    )
    shorter = dataclasses.replace(check, calls=(first,), later=later)
    still = made(check=shorter)
    (item,) = still.still
    assert item.input == 3
    # The dynamic graph is for sizes from 2 on.
    assert item.because == ("a condition on x.size()[0] fails",)
    assert any("that is not enough: 1 input" in line for line in warmup_verdict(still))
    assert any(line.startswith("x[0]=1 still compiles 1 frame: ") for line in check_lines(still))


def test_a_start_that_failed_is_said(report: WarmupReport) -> None:
    ends = (StartEnd("artifact", "its process ended with exit code 1"),)
    text = rendered(dataclasses.replace(report, starts=made(ends=ends).starts), "terminal")
    assert "artifact: its process ended with exit code 1" in " ".join(text.split())


def test_a_warm_up_that_was_cut_off_is_said() -> None:
    whole = made()
    meta = dataclasses.replace(whole.run.meta, partial="it was interrupted with Ctrl-C")
    (eager,) = [process for process in whole.run.processes if process.records(Warmup)[:1]
                and process.records(Warmup)[0].start == "eager"]  # fmt: skip
    run = dataclasses.replace(whole.run, meta=meta, processes=(eager,))
    plan = dataclasses.replace(whole.plan, check=None)
    for format_ in ("terminal", "markdown"):
        text = " ".join(rendered(make_warmup_report(plan, run, {}), format_).split())
        assert "it was cut off: there is no start to warm up" in text
        assert "the recording is partial: it was interrupted with Ctrl-C" in text
        assert "The plan" not in text


def test_the_recompile_limit_is_said() -> None:
    whole = made()
    processes = tuple(
        dataclasses.replace(
            process,
            frames=tuple(
                dataclasses.replace(
                    frame,
                    compilations=tuple(
                        dataclasses.replace(item, hit_limit=True) for item in frame.compilations
                    ),
                )
                for frame in process.frames
            ),
        )
        for process in whole.run.processes
    )
    reached = dataclasses.replace(whole, run=dataclasses.replace(whole.run, processes=processes))
    assert not any("recompile limit" in notice for notice in warmup_notices(whole))
    assert any("limit is reached for forward" in notice for notice in warmup_notices(reached))


def test_the_terminal_keeps_to_its_width(
    report: WarmupReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        text = rendered(report, "terminal")
        assert max(map(len, text.splitlines())) <= width
        assert "call 2 of 4 inputs at start (x[0]=4, x[0]=1)" in " ".join(text.split())


def test_json_has_the_plan_and_what_was_loaded(report: WarmupReport) -> None:
    found = json.loads(rendered(report, "json"))
    assert found["plan"] == [0, 3]
    assert found["check"]["passed"]
    assert found["starts"][3]["artifact"]["entries"] == {
        "aot_autograd": 3, "inductor": 3, "pgo": 1
    }  # fmt: skip


def test_markdown_has_the_table_and_the_plan(report: WarmupReport) -> None:
    text = rendered(report, "markdown")
    assert "|  | eager | cold | cache folder | artifact |" in text
    assert "## The plan: 2 calls" in text


def constants(plan: WarmupPlan, report: WarmupReport, folder: Path) -> dict[str, Any]:
    """What stands at the beginning of the script, and how its functions end."""
    stream = io.StringIO()
    render_script(dataclasses.replace(report, plan=plan), folder, stream)
    tree = ast.parse(stream.getvalue())
    found: dict[str, Any] = {"text": stream.getvalue()}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.unparse(node.value)
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.unparse(node.body[-1])
    return found


def test_the_script_says_where_the_model_is_and_how_it_is_called(report: WarmupReport) -> None:
    found = constants(report.plan, report, Path("/home/user/deploy/warmup"))
    assert found["FILE"] == "HERE / '../../model.py'"
    assert found["FOLDERS"] == "[HERE / '../..']"
    assert ast.literal_eval(found["PLAN"]) == ["x[0]=4", "x[0]=1"]
    assert ast.literal_eval(found["PLAN_WITHOUT_ARTIFACT"]) == ["x[0]=4", "x[0]=6", "x[0]=1"]
    assert ast.literal_eval(found["COMPILE"]) == {
        "backend": "inductor", "mode": None, "dynamic": None, "fullgraph": False
    }  # fmt: skip
    assert ast.literal_eval(found["INPUTS"])["x[0]=6"] == "float32[6, 8]"
    assert found["given_model"] == "return module.model"
    assert found["context"].startswith("with torch.set_grad_enabled(False)")
    assert found["CALLS_OF_EACH"] == "1"
    assert "inspector." not in found["text"]


def test_the_script_has_the_mode_the_dtype_and_autocast(report: WarmupReport) -> None:
    plan = dataclasses.replace(
        report.plan,
        setting=dataclasses.replace(report.plan.setting, mode="reduce-overhead"),
        workload=dataclasses.replace(report.plan.workload, dtype="bf16", autocast="f16"),
    )
    found = constants(plan, report, Path("/home/user/warmup"))
    assert found["CALLS_OF_EACH"] == "3"  # CUDA graphs are recorded in the second call
    assert found["DTYPE"] == "torch.bfloat16"
    autocast = "torch.autocast('cpu', dtype=torch.float16)"
    assert found["context"] == f"with torch.set_grad_enabled(False), {autocast}:\n    yield"


def test_a_start_that_has_not_called_all_inputs_has_no_plan(report: WarmupReport) -> None:
    """As where it dies with its second input, or after Ctrl-C."""
    cold, *others = (start for start in report.starts if start.name != "eager")
    cut = dataclasses.replace(cold, firsts=cold.firsts[:2], failure="it was ended by SIGSEGV")
    died = dataclasses.replace(report, starts=(report.starts[0], cut, *others))
    assert died.start("cold") is None
    (line,) = warmup_verdict(died)
    assert line == "torch.compile fails: there is no start to warm up"
    assert died.calls == (0, 3)  # of the start with the artifact
    assert died.calls_without == ()


def test_a_place_that_no_encoding_has_is_python_all_the_same(report: WarmupReport) -> None:
    loading = report.plan.loading
    assert loading is not None
    odd = dataclasses.replace(loading, file="/srv/mod\udce8le.py")
    found = dataclasses.replace(report, plan=dataclasses.replace(report.plan, loading=odd))
    text = io.StringIO()
    render_script(found, Path("/srv"), text)
    (file,) = (
        node.value for node in ast.parse(text.getvalue()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FILE"
    )  # fmt: skip
    assert ast.unparse(file) == "HERE / 'mod\\udce8le.py'"
