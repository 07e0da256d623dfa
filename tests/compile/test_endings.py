"""How a program ends, and what our own calls may not add to what it did."""

import contextlib
import dataclasses
import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import inspector
from inspector.records.calls import Uncaught
from inspector.run.ended import further_endings
from inspector.run.sources.recording import opened, read_run
from inspector.shared.request import Request
from tests import golden
from tests.compile import warm_python
from tests.compile.processes import INSPECT, ROOT, environment

pytestmark = pytest.mark.compile
# The main process fails in a compiled backward; a thread, and workers before it, otherwise.
PROGRAM = """
import multiprocessing, threading, torch
class Model(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1
def exports():
    torch.export.export(Model(), (torch.randn(3),), strict=True)
def wrong(x):
    return x @ torch.ones(4, 2)
def shapes():
    torch.compile(wrong, backend="eager")(torch.ones(2, 3))
def absent():
    class Empty(torch.nn.Module):
        pass
    inner = Empty()
    torch.compile(lambda x: inner(x) + 1, backend="eager")(torch.ones(2))
def loads():
    return {}["batch"]
if __name__ == "__main__":
    for work in (exports, shapes, absent):
        process = multiprocessing.get_context("fork").Process(target=work)
        process.start()
        process.join()
    thread = threading.Thread(target=loads, name="loader")
    thread.start()
    thread.join()
    f = torch.compile(lambda x: (x ** 3).sum(), backend="aot_eager")
    x = torch.randn(3, requires_grad=True)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    g.pow(2).sum().backward()
"""


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("ended")
    (folder / "train.py").write_text(PROGRAM)
    command = [*INSPECT, "run", "--save", "recording", "train.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment(ROOT), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return done.stderr, folder / "recording"


def test_the_exception_its_line_and_the_exit_code_come_first(recorded: tuple[str, Path]) -> None:
    stderr, folder = recorded
    double = "torch.compile with aot_autograd does not currently support double backward"
    said = f"RuntimeError: {double} (train.py:{line_of('g.pow')}, exit code 1)."
    assert stderr.splitlines()[-1] == f"inspect: the program failed: {said}"
    report = golden.report_of(folder)
    page = " ".join(golden.rendered(report, "80.txt").split())
    assert said in page.partition("Traceback")[0]
    assert page.index("the program failed") < page.index("before it failed")
    fields = json.loads(golden.rendered(report, "json"))["recording"]
    assert (fields["error"], fields["exit_code"]) == (said, 1)
    markdown = golden.rendered(report, "md")
    assert markdown.index(double) < markdown.index("before it failed")


def test_other_processes_and_threads_are_told_with_their_lines(recorded: tuple[str, Path]) -> None:
    with opened(recorded[1]) as recording:
        run = read_run(recording)
    raised = [item for process in run.processes for item in process.records(Uncaught)]
    whole = dataclasses.replace(run, meta=dataclasses.replace(run.meta, error=""))
    assert len(raised) == 5
    said = "\n".join(
        sentence
        for process in run.processes
        for sentence in further_endings(dataclasses.replace(whole, processes=(process,)))
    )
    assert "torch.export failed with Unsupported: Data-dependent branching (train.py:5" in said
    assert f"[2, 3] X [4, 2] (train.py:{line_of('return x @')})" in said
    assert f'required "forward" function (train.py:{line_of("inner(x) + 1")})' in said
    batch = line_of('["batch"]')
    assert f"'loader' failed with KeyError: 'batch' (train.py:{batch})" in said


HEAD = "import torch\nfrom torch import nn\n"
# A cache whose fill level is an int: each value is a graph, and there is room for no call more.
CACHE = """
class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.filled, self.names = 0, []
        self.register_buffer("keys", torch.zeros(8, 4))
    def forward(self, x):
        n = x.shape[0]
        self.keys[self.filled : self.filled + n] = x
        self.filled += n
        self.names.append(n)
        return self.keys[: self.filled].sum()
model = Cache()
example_inputs = [(torch.ones(5, 4),), *[(torch.ones(1, 4),)] * 3]
"""
ONCE = """
TICKETS = iter([1])
class Model(nn.Module):
    def forward(self, x):
        self.take()
        return x.relu()
    @torch.compiler.disable
    def take(self):
        next(TICKETS)
model = Model()
example_inputs = (torch.ones(4),)
"""
SHAPE = "def model(a, b):\n    return a @ b\nexample_inputs = torch.ones(2, 3), torch.ones(4, 5)\n"
CASES = {"cache": CACHE, "once": ONCE, "shape": SHAPE}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = {}
    for name, source in CASES.items():
        folder = tmp_path_factory.mktemp(name)
        (folder / "model.py").write_text(HEAD + source)
        warm_python.record(folder / "recording", Request("model.py"), folder)
        found[name] = golden.report_of(folder / "recording")
    return found


def test_a_model_with_a_fill_level_has_the_graphs_of_its_own_calls(reports: Any) -> None:
    namespace: dict[str, Any] = {}
    exec(HEAD + CACHE, namespace)  # noqa: S102 - our own text
    torch._dynamo.reset()
    graphs: list[object] = []

    def counted(graph: torch.fx.GraphModule, _: object) -> Any:
        graphs.append(graph)
        return graph

    fast = torch.compile(namespace["model"], backend=counted)
    for call in namespace["example_inputs"]:
        fast(*call)
    with pytest.raises(RuntimeError):
        namespace["model"](torch.ones(5, 4))  # what a further call of ours would find

    report = reports["cache"]
    assert (report.summary.graphs, report.summary.recompiles) == (len(graphs), len(graphs) - 1)
    assert report.summary.later == type(report.summary.later)()
    assert not any(finding.later for finding in report.findings)
    assert not report.run.meta.error


def test_a_model_that_can_be_called_once_has_not_failed(reports: Any) -> None:
    report = reports["once"]
    assert not report.run.meta.error
    page = " ".join(golden.rendered(report, "80.txt").split())
    assert (
        "not measured: repeating a call fails, because a call changes the model (StopIteration"
        in page
    )


def test_a_wrong_shape_is_one_error(reports: Any) -> None:
    report = reports["shape"]
    assert not report.findings
    (raised,) = report.run.processes[0].records(Uncaught)
    assert (raised.type, raised.stack[-1].line) == ("RuntimeError", 4)


class Printing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("called")
        return x.relu()


def test_calls_that_are_ours_print_nothing_in_a_notebook() -> None:
    out = io.StringIO()  # as a notebook's: it writes to no descriptor
    with contextlib.redirect_stdout(out):
        inspector.explain(Printing(), torch.ones(3), calls=3)
    assert out.getvalue() == "called\n"


KINDS = {
    "register_forward_hook": "forward hook",
    "register_forward_pre_hook": "forward pre-hook",
    "register_full_backward_hook": "backward hook",
}


def hooked(method: str, when: str) -> int:
    """How often a hook runs in the call after it was registered."""
    torch._dynamo.reset()
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    fast = torch.compile(net, backend="aot_eager")
    x, seen = torch.ones(2, 4, requires_grad=True), []
    with torch._dynamo.config.patch(skip_nnmodule_hook_guards=when != "guarded"):
        if when != "first":
            fast(x).sum().backward()
        getattr(net[0], method)(lambda *_: seen.append(1))
        if when == "reset":
            torch._dynamo.reset()
        fast(x).sum().backward()
    return len(seen)


@pytest.mark.parametrize("method", KINDS)
def test_a_late_hook_is_found_and_each_fix_lets_it_run(method: str, tmp_path: Path) -> None:
    with inspector.record(tmp_path / "late", measure=False) as late:
        assert hooked(method, "late") == 0
    (finding,) = [item for item in late.report().findings if item.rule == "late-hook"]
    assert finding.message == f"this {KINDS[method]} never runs: compiled before (Linear)"
    code = finding.place.excerpt[2].text
    assert re.search(r"getattr\(net\[0\], method\)", code)
    texts = (finding.fix, *finding.alternatives)
    for when, said in zip(("first", "reset", "guarded"), texts, strict=True):
        assert {"first": "before", "reset": "reset()", "guarded": "False"}[when] in said
        with inspector.record(tmp_path / when, measure=False) as recording:
            assert hooked(method, when) == 1
        assert not [item for item in recording.report().findings if item.rule == "late-hook"]
    assert not hasattr(nn.Module.register_forward_hook, "__wrapped__")
