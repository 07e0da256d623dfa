"""Runs made by hand, small enough to read, with all that a renderer can meet."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from inspector import plugins
from inspector.records.calls import TargetCall, TargetFunction
from inspector.records.environment import Problem
from inspector.records.graph_breaks import SkippedFrame
from inspector.report.report import Report, make_report
from inspector.run.compilation import Compilation, Failure, Frame
from inspector.run.compile_time import StageTime
from inspector.run.graph_break import Evidence, GraphBreak, Outcome
from inspector.run.run import LogWarning, Process, Run
from inspector.run.source import Sources
from inspector.shared.meta import Meta
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId
from inspector.trace.graph_break import Cause

PROJECT = "/home/user/project"
MODEL = f"{PROJECT}/model.py"
SITE = "/home/user/venv/lib/python3.11/site-packages"
SOURCE = """\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def helper(self, x):
        print("shape", x.shape)
        return x + 1

    def forward(self, x):
        x = self.helper(self.linear(x))
        if x.sum() > 0:
            x = x * 2
        return torch.clamp(
            x,
            min=0,
            max=x.max().item(),
        )


def main():
    model = torch.compile(Model())
    return model(torch.randn(4, 8))
"""
PRINT = Cause(
    gb_type="Failed to trace builtin operator",
    title="Failed to trace builtin operator",
    explanation="Dynamo does not know how to trace builtin operator `print` with argument types "
    "['str', 'torch.Size'] (has_kwargs False)",
    hints=(
        "Avoid calling builtin `print` with argument types ['str', 'torch.Size'].",
        "You can add it to `torch._dynamo.config.reorderable_logging_functions`.",
        "Please report an issue to PyTorch.",
    ),
    context="builtin print",
    url="https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0059.html",
    gb_id="GB0059",
)
BRANCH = Cause(
    gb_type="Data-dependent branching",
    title="Data-dependent branching",
    explanation="Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does "
    "not support tracing dynamic control flow.\n\n"
    "  The branch condition involves a tensor computed as follows:\n"
    '    # File "/home/user/project/model.py", line 15, in forward, code: if x.sum() > 0:\n'
    "    gt = gt(sum_1, 0)",
    hints=(
        "This graph break is fundamental - Dynamo will hardly ever be able to trace this.",
        "Use `torch.cond` to express dynamic control flow.",
    ),
    context="attempted to jump with TensorVariable()",
    url="https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html",
    gb_id="GB0170",
)
ITEM = Cause(None, "a break that this version of torch gives no id")
WRAPPER = Cause("Wrapper", "Wrapper", gb_id="GB7000")

_CALLERS = (
    StackFrame(MODEL, 26, "main", "return model(torch.randn(4, 8))"),
    StackFrame(f"{SITE}/torch/nn/modules/module.py", 1778, "_wrapped_call_impl", "return self"),
    StackFrame(f"{SITE}/torch/nn/modules/module.py", 1789, "_call_impl", "return forward_call"),
    StackFrame(f"{SITE}/transformers/utils.py", 12, "wrapper", "return func(*args)"),
)


def frame_at(line: int, name: str, columns: tuple[int, int], end_line: int) -> StackFrame:
    code = SOURCE.splitlines()[line - 1].strip()
    return StackFrame(MODEL, line, name, code, end_line, *columns)


IN_HELPER = frame_at(10, "helper", (8, 31), 10)
IN_FORWARD = frame_at(14, "forward", (12, 40), 14)
AT_BRANCH = frame_at(15, "torch_dynamo_resume_in_forward_at_14", (11, 22), 15)
AT_CLAMP = frame_at(17, "torch_dynamo_resume_in_forward_at_15", (15, 9), 21)


def break_at(frame: StackFrame, cause: Cause, **changes: Any) -> GraphBreak:
    """A record of a graph break, resumed unless asked otherwise."""
    record = GraphBreak(
        compile_id=CompileId(0, 0),
        attempt=1,
        frame_name="forward",
        frame_file="",
        frame_line=0,
        cause=cause,
        wrappers=(),
        outcome=Outcome.RESUMED,
        stack=(*_CALLERS, frame),
        user=frame,
        project=None,
        call=0,
        evidence=Evidence.ARTIFACT,
        has_graph=True,
    )
    return dataclasses.replace(record, **changes)


def compilation(frame_id: int, *breaks: GraphBreak, **changes: Any) -> Compilation:
    """A compilation with one graph of three operators, unless asked otherwise."""
    compiled = Compilation(
        compile_id=CompileId(frame_id, 0),
        call=0,
        stack=_CALLERS,
        graphs=1,
        operators=3,
        guards=12,
        has_guarded_code=True,
        failure=None,
        restart_reasons=(),
        recompile_reasons=(),
        hit_limit=False,
        graph_breaks=breaks,
        finished=True,
        start_time_ns=1_700_000_000_000_000_000,
        duration_ns=40_000_000,
    )
    return dataclasses.replace(compiled, **changes)


def process_of(*frames: Frame, **changes: Any) -> Process:
    """A process that compiled frames."""
    process = Process(
        host="worker",
        pid=4711,
        parent_pid=None,
        rank=None,
        versions={"torch": "2.13.0+cpu", "python": "3.11.9"},
        hardware={"cores": 8, "gpus": []},
        calls=(TargetCall(0, 0, "end"), TargetCall(0, 1, "end")),
        frames=frames,
        skipped=(),
        compile_time_ns=1_304_000_000,
        stages=(StageTime("Dynamo", 1_203_000_000), StageTime("backend", 101_000_000)),
        unknown_events={},
        has_inspector_events=True,
    )
    target = TargetFunction("Model", MODEL, 13, "Model.forward", "function")
    return dataclasses.replace(process, **changes).with_records(target)


def run_of(*processes: Process, source: str = SOURCE, **meta: Any) -> Run:
    """A run of processes, recorded from `SOURCE` as recording 7."""
    settings: Mapping[str, object] = {"backend": "eager", "device": "cpu", "inputs": []}
    described = Meta(1, "7", "model.py", settings, "2026-01-02T03:04:05+00:00")
    lines = dict(enumerate(source.splitlines(), 1))
    return Run(
        meta=dataclasses.replace(described, **meta),
        processes=processes,
        roots=Roots(PROJECT, f"{SITE}/torch", "/usr/lib/python3.11", (SITE,)),
        sources=Sources({MODEL: lines}, frozenset({MODEL}), {}),
        warnings=(),
    )


def report_of(run: Run) -> Report:
    """The report of a run by all built-in rules."""
    rules = plugins.load_rules("run")
    return make_report(run, rules, ("inspect rule GB0170", "inspect report"))


def broken() -> Run:
    """Three sites: one of two records, one over several lines, one of later calls only."""
    inner = dataclasses.replace(IN_FORWARD, code="x = self.helper(self.linear(x))")
    outer = break_at(IN_HELPER, PRINT, stack=(*_CALLERS, inner, IN_HELPER))
    in_helper = break_at(IN_HELPER, PRINT, frame_name="helper", outcome=Outcome.REST_SKIPPED)
    branch = break_at(AT_BRANCH, BRANCH, frame_name="torch_dynamo_resume_in_forward_at_14")
    later = break_at(
        AT_CLAMP, ITEM, call=1, wrappers=(WRAPPER,), outcome=Outcome.FRAME_SKIPPED,
        frame_name="torch_dynamo_resume_in_forward_at_15",
    )  # fmt: skip
    return run_of(
        process_of(
            Frame(0, "forward", MODEL, 13, (compilation(0, outer),)),
            Frame(1, "helper", MODEL, 9, (compilation(1, in_helper),)),
            Frame(2, branch.frame_name, MODEL, 14, (compilation(2, branch, operators=1),)),
            Frame(3, later.frame_name, MODEL, 15, (_later(later),)),
        )
    )


def _later(record: GraphBreak) -> Compilation:
    return compilation(3, record, call=1, graphs=0, operators=0, has_guarded_code=False)


def unbroken() -> Run:
    """One graph of 23 operators."""
    return run_of(process_of(Frame(0, "forward", MODEL, 13, (compilation(0, operators=23),))))


def nothing() -> Run:
    """A target that Dynamo never looked at."""
    return run_of(process_of(compile_time_ns=0, stages=()))


def failed() -> Run:
    """A program that was killed, after it failed, after it had recompiled up to the limit."""
    again = {
        "compile_id": CompileId(0, 1),
        "recompile_reasons": ("0/0: x.size()[0] == 4  # return model(x)",),
    }
    refused = {
        "compile_id": CompileId(0, 8), "hit_limit": True, "graphs": 0, "operators": None,
        "has_guarded_code": False,
    }  # fmt: skip
    error = Failure(
        "BackendCompilerFailed", "backend='bad' raised:\nRuntimeError: no", (AT_BRANCH,)
    )
    cut = {"finished": False, "has_guarded_code": None, "graphs": 0, "operators": None}
    frames = (
        Frame(0, "forward", MODEL, 13, (
            compilation(0), compilation(0, **again), compilation(0, **refused))),
        Frame(1, "helper", MODEL, 9, (
            compilation(1, failure=error, graphs=0, has_guarded_code=False),)),
        Frame(None, "", "", 0, (compilation(0, **cut, compile_id=CompileId(None, None, 2)),)),
    )  # fmt: skip
    skipped = SkippedFrame(MODEL, 24, "main", "in skipfiles", "", is_entry=True, stack=())
    process = process_of(
        *frames, skipped=(skipped,), unknown_events={"artifact:new_thing": 3, "shiny": 1}
    ).with_records(Problem("inspector_source", "OSError: gone"))
    other = process_of(rank=1, pid=4712)
    run = run_of(
        process,
        other,
        partial="the program was killed (SIGKILL) after 3.2 s",
        error="RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 9x8)",
        error_detail='Traceback (most recent call last):\n  File "model.py", line 26, in main\n'
        "    return model(torch.randn(4, 8))\nRuntimeError: mat1 and mat2\n",
        error_exit_code=3,
    )
    warning = LogWarning("worker.log", 17, "the payload is cut off")
    return dataclasses.replace(run, warnings=(warning,))
