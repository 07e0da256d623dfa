"""`inspector.record`, `inspector.explain` and the backend "inspector"."""

from __future__ import annotations

import functools
import hashlib
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._dynamo.convert_frame import input_codes
from torch._dynamo.testing import CompileCounter

import inspector
from inspector.errors import InspectorError, RecordingError, UsageError
from inspector.report.report import Report
from inspector.run.sources.log import LogReader
from tests.compile.processes import ROOT, environment, installed


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: Any, scale: int = 1) -> Any:
        x = self.norm(x)
        print("inside")
        return torch.nn.functional.dropout(self.linear(x) * scale)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)


def double(x: Any) -> Any:
    print("inside")
    return x * 2


def of_trace() -> tuple[Any, ...]:
    """What of torch's two loggers we stand at."""
    import logging

    names = ("torch.__trace", "torch._dynamo.convert_frame")
    loggers = [logging.getLogger(name) for name in names]
    return tuple(
        (logger.__dict__.get("handle"), logger.__dict__.get("isEnabledFor"), logger.level,
         list(logger.handlers), list(logger.filters))
        for logger in loggers
    )  # fmt: skip


def test_record_records_what_is_compiled_inside_of_it(tmp_path: Path) -> None:
    before = of_trace()
    compiled = torch.compile(double, backend="eager")
    with inspector.record(tmp_path / "one") as recording:
        compiled(torch.ones(2))
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))

    report = recording.report()
    assert (report.summary.graph_breaks, report.summary.graphs) == (1, 1)
    assert report.run.meta.ended == "whole"
    assert report.run.meta.settings == {"caches": "user"}
    assert report.findings[0].place.file == "tests/compile/test_library.py"
    assert recording.path == tmp_path / "one"
    if not before[0][3]:  # torch's own handler takes itself away with the first record
        assert of_trace() == before
    # Once more in the same process: names that torch numbered before are known here too.
    torch._dynamo.reset()
    with inspector.record(tmp_path / "two") as again:
        torch.compile(double, backend="eager")(torch.ones(2))
    assert again.report().findings[0].place.file == "tests/compile/test_library.py"
    assert again.report().summary.graphs == 1


def test_recordings_stand_inside_of_each_other(tmp_path: Path) -> None:
    with inspector.record(tmp_path / "outer") as outer:
        torch.compile(double, backend="eager")(torch.ones(2))
        torch._dynamo.reset()
        with inspector.record(tmp_path / "inner") as inner:
            torch.compile(double, backend="eager")(torch.ones(2))
        assert inner.report().summary.graphs == 1
        assert inner.report().findings[0].place.excerpt
    assert outer.report().summary.graphs == 2
    assert [item.records for item in outer.report().findings if item.rule == "graph-break"] == [2]


def test_an_error_leaves_the_block_and_is_in_the_recording(tmp_path: Path) -> None:
    recording = inspector.Recording(tmp_path / "failed")
    with pytest.raises(ZeroDivisionError), inspector.record(recording.path):
        torch.compile(double, backend="eager")(torch.ones(2) / (1 // 0))
    meta = recording.run().meta
    said = "the block raised ZeroDivisionError: integer division or modulo by zero"
    assert (meta.ended, meta.error) == ("failed", said)


def test_what_record_refuses(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(RecordingError, match="not empty"), inspector.record(tmp_path):
        pass
    with pytest.raises(UsageError, match="caches"), inspector.record(tmp_path / "r", caches="no"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_explain_gives_the_report_and_leaves_no_trace() -> None:
    net = Net()
    net.linear.weight.grad = gradient = torch.ones(4, 4)
    state = {name: value.clone() for name, value in net.state_dict().items()}
    codes = set(input_codes.seen_ids)

    report = inspector.explain(net, torch.randn(3, 4), scale=2, train=True)

    assert isinstance(report, Report)
    assert (report.summary.graph_breaks, report.summary.graphs) == (1, 2)
    assert report.run.meta.target == "Net"
    assert report.run.meta.settings["caches"] == "fresh"
    assert all(torch.equal(value, state[name]) for name, value in net.state_dict().items())
    assert net.linear.weight.grad is gradient
    assert torch.equal(gradient, torch.ones(4, 4))
    assert net.linear.bias.grad is None
    assert set(input_codes.seen_ids) <= codes
    again = inspector.explain(net, torch.randn(5, 4), scale=3, train=True)
    assert (again.summary.graphs, again.summary.recompiles) == (2, 0)


class Changing(torch.nn.Module):
    """Changes whatever a module can change."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", None)
        self.weight = torch.nn.Parameter(torch.ones(4))
        self.hidden = torch.nn.Parameter(torch.ones(4))
        self.loose = torch.ones(4)
        with torch.inference_mode():
            self.inferred = torch.ones(4)

    def forward(self, x: Any) -> Any:
        if self.cache is None:
            self.cache = x * 1
        with torch.no_grad():
            self.weight.mul_(0.5)
            self.loose.mul_(0.5)
        with torch.inference_mode():
            self.inferred.mul_(0.5)
        self.hidden.data.mul_(0.5)  # no version counts this
        self.train()
        self.note()
        return x * self.weight * self.hidden + torch.rand(4) * random.random()  # noqa: S311 - what users call

    def note(self) -> None:
        seen.add_(np.random.rand() + GENERATOR.random())  # noqa: NPY002 - as above


seen = torch.zeros(())
GENERATOR = random.Random(3)  # noqa: S311 - as above
linear = torch.nn.Linear(4, 4)
optimizer = torch.optim.Adam(linear.parameters(), lr=0.1)


def states() -> list[Any]:
    return [
        repr(state)
        for state in (
            random.getstate(),
            np.random.get_state(),  # noqa: NPY002 - as above
            torch.get_rng_state().tolist(),
            GENERATOR.getstate(),
        )
    ]  # fmt: skip


def test_explain_leaves_a_module_that_changes_itself_as_it_was() -> None:
    net = Changing()
    for _ in range(8):  # however deep it is
        net = torch.nn.Sequential(net)
    net.eval()
    inner = next(module for module in net.modules() if isinstance(module, Changing))
    before = states()

    assert not inspector.explain(net, torch.ones(3, 4), calls=3).run.meta.error

    assert states() == before
    tensors = (inner.weight, inner.hidden, inner.loose, inner.inferred)
    assert [tensor.tolist() for tensor in tensors] == [[1.0] * 4] * 4
    assert (inner.cache, inner.training, seen.item()) == (None, False, 0)


def step(x: Any) -> Any:
    optimizer.zero_grad()
    loss = linear(x).square().sum()
    loss.backward()
    optimizer.step()
    return loss.detach()


@pytest.mark.parametrize("warm", [False, True])
def test_explain_trains_nothing(*, warm: bool) -> None:
    if warm:
        step(torch.ones(2, 4))
    weight = linear.weight.detach().clone()
    gradient = linear.weight.grad
    value = None if gradient is None else gradient.clone()
    kept = optimizer.state[linear.weight]["exp_avg"].clone() if warm else None

    assert not inspector.explain(functools.partial(step, torch.ones(2, 4)), calls=3).run.meta.error

    assert torch.equal(linear.weight, weight)
    assert linear.weight.grad is gradient
    assert gradient is None or torch.equal(gradient, value)
    assert len(optimizer.state) == (2 if warm else 0)
    assert not warm or torch.equal(optimizer.state[linear.weight]["exp_avg"], kept)


def whole(x: Any) -> Any:
    for _ in range(3):
        x = x * 2
        print("inside")
    return x + 1


def test_explain_costs_what_the_command_says_that_it_costs() -> None:
    (found,) = inspector.explain(whole, torch.ones(4)).findings
    assert found.cost is not None
    assert (found.cost.kind.value, found.cost.is_whole_frame) == ("measured", True)


def test_explain_keeps_what_the_user_has_compiled() -> None:
    counter = CompileCounter()
    compiled = torch.compile(lambda x: x + 1, backend=counter)
    compiled(torch.ones(2))
    inspector.explain(double, torch.ones(2), backend="inductor", options={"max_fusion_size": 8})
    compiled(torch.ones(2))
    assert counter.frame_count == 1


def test_a_compiled_model_is_explained_as_what_it_was() -> None:
    compiled = torch.compile(double, backend="eager")
    assert inspector.explain(compiled, torch.ones(2)).summary.graph_breaks == 1
    hidden = functools.partial(Net(), scale=3)
    assert inspector.explain(hidden, torch.ones(2, 4)).summary.graphs == 2


def test_a_model_that_fails_is_in_the_report_or_raised() -> None:
    def late(x: Any) -> Any:
        x = x + 1
        print("inside")
        raise ValueError("mine")

    report = inspector.explain(late, torch.ones(2))
    assert "fails when called" in report.run.meta.error
    assert report.summary.graphs == 1
    with pytest.raises(InspectorError):
        inspector.explain(double)
    with pytest.raises(UsageError, match="rejects"):
        inspector.explain(double, torch.ones(2), mode="no such mode", backend="inductor")


def test_it_looks_well_in_a_notebook() -> None:
    report = inspector.explain(double, torch.ones(2))

    assert "graph break GB0059" in str(report)
    assert "\x1b" not in str(report)
    assert report._repr_markdown_().startswith("# torch.compile: `double`")
    html = report._repr_html_()
    assert html.startswith("<h1>torch.compile: <code>double</code></h1>")
    assert "GB0059" in html
    assert "[!" not in html
    assert "<script" not in html


def test_a_target_is_recorded_and_a_report_is_saved(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import torch\nmodel = torch.nn.Linear(2, 2)\nexample_inputs = (torch.ones(1, 2),)\n"
    )
    report = inspector.explain(tmp_path / "model.py", measure=False)
    assert repr(report) == "<Report: no graph breaks: 1 graph, 1 operator; 0 findings>"
    assert report.to_dict()["summary"]["graphs"] == 1
    report.save(tmp_path / "report.html")
    assert "<script" in (tmp_path / "report.html").read_text()
    with pytest.raises(UsageError, match="no file"):
        inspector.explain(str(tmp_path / "modell.py"))
    with pytest.raises(UsageError, match="do not apply to a target given by name"):
        inspector.explain(str(tmp_path / "model.py"), torch.ones(1, 2))


def test_importing_the_package_costs_nothing() -> None:
    program = "import sys, inspector; print(len(dir(inspector)), 'torch' in sys.modules, "
    program += "'inspector.library' in sys.modules, hasattr(inspector, 'nothing'))"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(ROOT), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout == f"{len(inspector.__all__)} False False False\n"


# ------------------------------------------------------------------------- the backend "inspector"

COMPILES = """
import sys, torch
net = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).eval()
for given in ({"options": {"freezing": True}}, {"mode": "max-autotune-no-cudagraphs"}):
    torch._dynamo.reset()
    with torch.no_grad():
        compiled = torch.compile(net, backend=sys.argv[1], **given)
        print(compiled(torch.ones(2, 16)).shape)
"""


def generated(folder: Path, backend: str) -> tuple[list[Any], str]:
    """What the program prints, the code that was generated and its cache keys; its last words."""
    (folder / "program.py").write_text(COMPILES.replace("net =", "torch.manual_seed(0)\nnet ="))
    trace, caches = folder / f"trace-{backend}", folder / "caches"
    # Everything is generated again; what a C++ compiler makes of the same text need not be.
    for name in ("aotautograd", "cache", "fxgraph"):
        shutil.rmtree(caches / name, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "program.py", backend], cwd=folder, check=True,
        capture_output=True, text=True, env=environment(
            ROOT, folder / "site", TORCH_TRACE=str(trace), TORCHINDUCTOR_CACHE_DIR=str(caches)
        ),
    )  # fmt: skip
    (log,) = trace.iterdir()
    records = list(LogReader(log, everything=True).read(ended=True))
    code = [
        hashlib.sha256(record.payload.raw()).hexdigest()
        for record in records
        if record.key == "inductor_output_code" and record.payload
    ]
    keys = [
        json.loads(record.text())["key"]
        for record in records
        if record.name.startswith("fx_graph_cache_")
    ]
    assert len(set(keys)) == 2  # each of these arguments reached Inductor
    assert not [record for record in records if record.name.startswith("inspector_")]
    # A CUDA build says so where there is no GPU.
    said = [line for line in done.stderr.splitlines() if "No CUDA runtime is found" not in line]
    return [done.stdout, code, keys], "\n".join(said)


def test_the_backend_generates_exactly_what_inductor_does(tmp_path: Path) -> None:
    installed(tmp_path / "site")
    plain, silence = generated(tmp_path, "inductor")
    ours, words = generated(tmp_path, "inspector")

    assert ours == plain
    assert silence == ""
    first, *others = words.splitlines()
    assert first.endswith(" 2 graphs, 0 graph breaks, 0 recompiles")
    assert others == [
        "inspect: recording .inspector/1",
        "inspect: next: inspect explain .inspector/1",
    ]
