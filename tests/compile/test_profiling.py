"""The profiler's sessions: who is told of one, and the marks of lines that its trace has."""

from __future__ import annotations

import inspect
import re
import time
from pathlib import Path

import pytest
import torch
from torch._inductor.codecache import PyCodeCache

from inspector.capture.profiling.explained import without_kernel_marks
from inspector.capture.profiling.sequence import cpu_calls
from inspector.capture.profiling.user_lines import marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines
from inspector.capture.timeline.trace import traced
from inspector.features.kernels.node_lines import module_path


def test_inductor_is_not_told_of_a_profiler_while_only_the_host_counts() -> None:
    from torch._inductor.runtime import triton_heuristics

    before = triton_heuristics.autograd_profiler
    with traced(with_device=False), without_kernel_marks():
        assert not triton_heuristics.autograd_profiler._is_profiler_enabled
        assert torch.autograd.profiler._is_profiler_enabled
    assert triton_heuristics.autograd_profiler is before
    # All that is read of it.
    names = set(re.findall(r"\bautograd_profiler\.(\w+)", inspect.getsource(triton_heuristics)))
    assert names == {"_is_profiler_enabled"}


def test_the_program_s_lines_and_generated_statements_are_marked() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) + 1
        torch._dynamo.graph_break()
        return y.sin()

    compiled = torch.compile(model)
    x = torch.randn(64)
    expected = compiled(x)
    with traced(with_device=False) as seen, marked_lines() as functions, marked_user_lines(
        lambda file: file == __file__
    ):  # fmt: skip
        assert torch.equal(compiled(x), expected)
    assert functions
    names = [event.name for event in seen.trace.host]
    assert any(name.startswith("inspector line ") for name in names)
    assert any(__file__ in name for name in names)
    # Nothing stays behind.
    with traced(with_device=False) as later:
        compiled(x)
    assert not [event for event in later.trace.host if event.name.startswith("inspector")]


class Block(torch.nn.Module):
    """Runs without the compiler, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.up = torch.nn.Linear(8, 8)

    @torch.compiler.disable
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[0] == 3:
            raise ValueError("three")
        return self.up(x) * 2


class Net(torch.nn.Module):
    """Calls a block twice, and goes on where the second fails."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(), Block()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x).sin()
        try:
            self.blocks[1](x[:3])
        except ValueError:
            x = x.cos()
        return x


@pytest.mark.parametrize("compiles", [True, False])
def test_what_runs_without_the_compiler_has_its_module(*, compiles: bool) -> None:
    net = Net()
    call = torch.compile(net, backend="eager") if compiles else net
    x = torch.randn(4, 8)
    with torch.no_grad():
        call(x)
        with traced(with_device=False) as seen, marked_user_lines(lambda file: file == __file__):
            begun_ns = time.time_ns()
            call(x)
            window = begun_ns, time.time_ns()
    (done,) = cpu_calls(seen.trace, [window])
    modules: dict[str, list[str]] = {}
    for item in done:
        modules.setdefault(item.place.operator, []).append(module_path(item.place.module))
    assert modules["aten::linear"] == ["blocks.0.up", "blocks.1.up"]
    assert modules["aten::mul"] == ["blocks.0", "blocks.1"]
    assert modules["aten::cos"] == [""]


def test_statements_of_a_branch_count_and_not_the_one_that_takes_it() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: (x @ x).relu(), lambda x: x.sin(), (x,)) + 1

    compiled = torch.compile(model)
    x = torch.ones(64, 64)
    with torch.no_grad():
        expected = compiled(x)
        with traced(with_device=False) as seen, marked_lines():
            begun_ns = time.time_ns()
            assert torch.equal(compiled(x), expected)
            window = begun_ns, time.time_ns()
    (done,) = cpu_calls(seen.trace, [window])
    files = {Path(str(m.__file__)).stem: Path(str(m.__file__)) for m in PyCodeCache.modules}
    statements = [
        files[item.place.file].read_text("utf-8").split("\n")[item.place.line - 1]
        for item in done
        if item.place.file
    ]
    assert any("extern_kernels.mm(" in statement for statement in statements)
    assert not any("= true_graph_0(" in statement for statement in statements)
