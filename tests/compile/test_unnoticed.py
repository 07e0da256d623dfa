"""A recorded program is the plain one: in what it prints and computes, also where a hook fails."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from benchmarks import bit_for_bit
from inspector.capture.recording.begin import begin
from inspector.capture.recording.handler import attached_handler
from inspector.run.sources.log import LogReader
from tests.compile.processes import AUTOLOAD, ROOT, environment, finished, inspected, run_of

PROGRAM = """
import sys, torch
def gen(x):
    yield x
def f(x, n):
    x = torch.relu(x) + n
    print("inside", n)
    return x * 2
torch._dynamo.reset()
compiled = torch.compile(f, backend="aot_eager")
for n in range(3):
    print(compiled(torch.ones(2, requires_grad=True), n).sum().item())
list(torch.compile(gen)(torch.ones(1)))
torch.compile(lambda x: x, backend="eager")(torch.ones(1))
sys.exit(5)
"""
# What of ours runs inside of torch or at the program's end: module, attribute.
HOOKS = [
    ("log.log_file", "LogFile.append"), ("log.log_file", "LogFile._write"),
    ("log.log_file", "begins_with"), ("log.process_log", "environment"),
    ("log.process_log", "record_for_log"), ("log.process_log", "rank"),
    ("log.process_log", "_at_exit"), ("log.process_log", "ProcessLog.write"),
    ("versions", "interned_strings"), ("versions", "positions_of_graph_break"),
    ("versions", "frame_of_conversion"), ("recording.handler", "TraceHandler._look"),
    ("recording.handler", "TraceHandler._add_positions"), ("recording.handler", "calling_frame"),
    ("recording.handler", "emit"), ("sources", "SourceWriter.add"),
    ("sources", "recorded_roots"), ("sources", "emit"), ("breaks.skips", "SkipObserver._observe"),
    ("breaks.skips", "_is_entry"), ("writer", "_json"), ("log.process_log", "CappedLog.append"),
    ("recording.begin", "_write_meta"),
    ("recording.begin", "_program"),
]  # fmt: skip


def ended(folder: Path, name: str, *, recorded: bool, hook: tuple[str, str] | None = None) -> Any:
    """The program in a fork: what it wrote, and its exit code."""
    output = folder / f"{name}.out"
    pid = os.fork()
    if pid == 0:
        _run(folder, name, output, recorded=recorded, hook=hook)
    _, status = os.waitpid(pid, 0)
    return output.read_text(), os.waitstatus_to_exitcode(status)


def _run(
    folder: Path, name: str, output: Path, *, recorded: bool, hook: tuple[str, str] | None
) -> None:
    code = 70
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
        for number in (1, 2):
            os.dup2(descriptor, number)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        os.chdir(folder)
        if hook is not None:
            _break(*hook)
        attachment = None
        if recorded:
            os.environ["INSPECTOR_RECORD"] = name
            if hook and hook[1] == "CappedLog.append":
                os.environ["INSPECTOR_MAX_BYTES"] = "20000"
            begin()
            attachment = attached_handler()
        try:
            runpy.run_path(str(folder / "program.py"), run_name="__main__")
        except SystemExit as end:
            code = int(str(end.code))
        if attachment is not None:
            for log in attachment._logs:
                log.close()  # as atexit does
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - a fork must never go on with pytest's own work
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _break(module: str, path: str) -> None:
    owner: Any = importlib.import_module(f"inspector.capture.{module}")
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)

    def fail(*_args: object, **_kwargs: object) -> None:
        raise RuntimeError("injected \udc80")

    setattr(owner, name, fail)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Any:
    # What every fork would import again.
    importlib.import_module("torch._inductor.compile_fx")
    importlib.import_module("torch._dynamo.backends.registry").list_backends(())
    folder = tmp_path_factory.mktemp("plain")
    (folder / "program.py").write_text(PROGRAM)
    found = ended(folder, "plain", recorded=False)
    assert found == ("inside 0\n4.0\ninside 1\n8.0\ninside 2\n12.0\n", 5)
    return found


def test_a_recorded_program_says_the_same(tmp_path: Path, plain: Any) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert ended(tmp_path, "ours", recorded=True) == plain
    run = run_of(tmp_path / "ours")
    assert run.processes[0].problems == ()
    assert len(run.graph_breaks) >= 2


@pytest.mark.parametrize("hook", HOOKS, ids=".".join)
def test_a_hook_that_fails_is_not_noticed(
    tmp_path: Path, plain: Any, hook: tuple[str, str]
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert ended(tmp_path, "ours", recorded=True, hook=hook) == plain


# ---------------------------------------------------------------- the user's own logs and traces

LOGGING = """
import sys, torch
if sys.argv[1:]:
    import logging.config
    logging.config.dictConfig({"version": 1})  # switches off what is there, as services do
def f(x, n):
    x = x + n
    print("inside")
    return x.sin()
compiled = torch.compile(f, backend="aot_eager")
for n in range(2):
    compiled(torch.ones(2), n)
"""
# Times, process ids, addresses and what else differs from run to run.
_VOLATILE = (
    (re.compile(r"\d{4} \d\d:\d\d:\d\d\.\d+ \d+"), "TIME PID"),
    (re.compile(r"[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}"), "UUID"),
    (re.compile(r"0x[0-9a-f]+"), "ADDRESS"),
    (re.compile(r"\d+\.\d+(?:e-?\d+)?"), "NUMBER"),
    (re.compile(r"\b\d{12,}\b"), "ID"),
)
_TIMED = {"chromium_event", "compilation_metrics", "bwd_compilation_metrics"}


def logged(folder: Path, name: str, *before: str) -> tuple[list[str], list[Any]]:
    """Lines of TORCH_LOGS and records of TORCH_TRACE, without what differs from run to run."""
    trace = folder / f"trace-{name}"
    done = finished(
        [*before, "program.py"], folder,
        env=environment(ROOT, TORCH_TRACE=str(trace), TORCH_LOGS="+dynamo,graph_breaks,recompiles"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("inspect: ")]
    assert len(lines) > 50
    (log,) = trace.iterdir()
    records = []
    for record in LogReader(log, everything=True).read(ended=True):
        timed = record.key in _TIMED
        text = "" if timed else record.text()
        metadata = sorted(record.fields()) if timed else record.metadata
        records.append([record.key, record.name, _stable(json.dumps(metadata)), _stable(text)])
    return [*map(_stable, lines)], records


def _stable(text: str) -> str:
    for pattern, word in _VOLATILE:
        text = pattern.sub(word, text)
    return text


def test_the_users_own_logs_and_traces_are_unchanged(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOGGING)
    plain = logged(tmp_path, "plain", sys.executable)
    ours = logged(tmp_path, "ours", sys.executable, "-m", "inspector.cli", "run")

    assert ours == plain


def test_a_program_that_switches_loggers_off_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOGGING)
    done = inspected("run", "program.py", "off", folder=tmp_path)
    assert "2 graph breaks at 1 site, 1 recompile\n" in done.stderr


# ------------------------------------------------------------------------------------ bit for bit


def test_code_keys_outputs_and_gradients_are_bit_for_bit_the_same(tmp_path: Path) -> None:
    ways = ("plain", "run")
    plain, ours = (
        bit_for_bit.computed(tmp_path, "small_cnn", "default", "train", way) for way in ways
    )

    assert ours == plain
    assert plain.gradients
    assert plain.code
    assert dict(plain.caches)["fxgraph_cache_miss"] == 2
    # A plain run afterwards hits the caches as if we had never been there.
    assert dict(ours.hits_after) == {"fxgraph_cache_hit": 2, "fxgraph_cache_miss": 0, "aot_hit": 1}


def test_the_child_side_alone_is_enough(tmp_path: Path) -> None:
    """No package of ours, and no dependency of it, in the program's own environment."""
    program = "import sys, torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n"
    program += "print(sorted({'click', 'orjson', 'inspector.library'} & {*sys.modules}))\n"
    (tmp_path / "program.py").write_text(program)
    done = finished(
        [sys.executable, "program.py"], tmp_path,
        env=environment(AUTOLOAD, INSPECTOR_RECORD="recording"),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert run_of(tmp_path / "recording").processes[0].frames
    assert inspected("explain", "recording", folder=tmp_path).returncode == 0


SUBCLASS = """
import torch
from torch.utils._pytree import tree_map

class Scaled(torch.Tensor):
    @staticmethod
    def __new__(cls, values, scale):
        return torch.Tensor._make_wrapper_subclass(cls, values.shape, dtype=scale.dtype)

    def __init__(self, values, scale):
        self.values_, self.scale = values, scale

    def __tensor_flatten__(self):
        return ["values_", "scale"], None

    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride):
        return Scaled(inner["values_"], inner["scale"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def plain(it):
            return it.values_ * it.scale if isinstance(it, Scaled) else it
        return func(*tree_map(plain, args), **(kwargs or {}))

weight = Scaled(torch.randn(8, 8), torch.ones(8, 1))
def model(x):
    return torch.mm(x, weight)
example_inputs = (torch.randn(4, 8),)
"""


@pytest.mark.skipif(
    importlib.metadata.version("torch").startswith("2.11."),
    reason="torch 2.11 prints them for its own log, and fails there without us, too",
)
def test_what_torch_cannot_print_for_its_trace_compiles_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(SUBCLASS)
    shown = inspected(
        "explain", "model.py", "--backend", "aot_eager", "--no-measure", "--format", "json",
        folder=tmp_path,
    )  # fmt: skip
    summary = json.loads(shown.stdout)["summary"]
    assert (summary["graphs"], summary["graph_breaks"], summary["frames_failed"]) == (1, 0, 0)
    logs = "".join(log.read_text() for log in (tmp_path / ".inspector" / "1").glob("*.log"))
    assert "not printed: " in logs


def test_torchs_trace_is_as_it_was_when_nothing_is_recorded_any_more(tmp_path: Path) -> None:
    from torch._logging import trace_structured

    from inspector.capture.recording.handler import attach

    before = trace_structured.__code__, dict(trace_structured.__globals__)
    attachment = attach(tmp_path, None)
    assert trace_structured.__code__ is not before[0]
    attachment.detach()
    assert (trace_structured.__code__, dict(trace_structured.__globals__)) == before
