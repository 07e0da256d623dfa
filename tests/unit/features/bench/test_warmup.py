"""What is said of a recorded warm-up, and its script; golden files have the whole report."""

from __future__ import annotations

import ast
import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest

from inspector.features.bench.warmup_page import check_lines, page, warmup_notices, warmup_verdict
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.features.bench.warmup_script import render as render_script
from inspector.records.bench import Warmup
from inspector.shared.warmup import WarmupCall, WarmupPlan
from tests.unit.render.bench_reports import made_warmup as made


@pytest.fixture(scope="module")
def report() -> WarmupReport:
    return made()


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
    assert any("not enough: 1 input" in line for line in warmup_verdict(still))
    assert any(line.startswith("x[0]=1 still compiles 1 frame: ") for line in check_lines(still))


def test_a_warm_up_that_was_cut_off_is_said() -> None:
    whole = made()
    meta = dataclasses.replace(whole.run.meta, partial="it was interrupted with Ctrl-C")
    (eager,) = [process for process in whole.run.processes if process.records(Warmup)[:1]
                and process.records(Warmup)[0].start == "eager"]  # fmt: skip
    run = dataclasses.replace(whole.run, meta=meta, processes=(eager,))
    plan = dataclasses.replace(whole.plan, check=None)
    cut = make_warmup_report(plan, run)
    assert list(warmup_verdict(cut)) == ["the recording is truncated: there is no start to warm up"]
    assert "the recording is partial: it was interrupted with Ctrl-C" in warmup_notices(cut)
    assert "The plan" not in [section.title for section in page(cut).sections]


def test_the_recompile_limit_is_said() -> None:
    whole = made()
    cold = next(start.process for start in whole.starts if start.name == "cold")
    processes = list(whole.run.processes)
    frame = processes[cold].frames[0]
    last = dataclasses.replace(frame.compilations[-1], hit_limit=True)
    frames = (dataclasses.replace(frame, compilations=(last,)),)
    processes[cold] = dataclasses.replace(processes[cold], frames=frames)
    run = dataclasses.replace(whole.run, processes=tuple(processes))
    reached = dataclasses.replace(whole, run=run)
    assert not any("recompile limit" in notice for notice in warmup_notices(whole))
    assert any("limit is reached for forward" in notice for notice in warmup_notices(reached))


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
    plan = dataclasses.replace(report.plan, loading=odd)
    assert constants(plan, report, Path("/srv"))["FILE"] == "HERE / 'mod\\udce8le.py'"
