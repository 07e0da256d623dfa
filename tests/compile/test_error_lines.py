"""Where a failed compilation, a size that an operator fixes, and a bypassed cache lead to."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import pytest

from tests.compile.test_explain import inspect

pytestmark = pytest.mark.skipif(
    importlib.metadata.version("torch") < "2.13", reason="torch counts and caches other graphs"
)
# Torch's own counts say what the fixes do.
FAILURES = """
import torch
from torch._dynamo.utils import counters


@torch.library.custom_op("lines::fixed", mutates_args=())
def fixed(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@fixed.register_fake
def _(x):
    size = int(x.shape[0])  # specializes
    return x.new_empty(size, x.shape[1])


@torch.library.custom_op("lines::free", mutates_args=())
def free(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@free.register_fake
def _(x):
    return x.new_empty(x.shape[0], x.shape[1])


@torch.library.custom_op("lines::refused", mutates_args=())
def refused(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def check(x):
    raise ValueError("no such layout")  # raises


@refused.register_fake
def _(x):
    check(x)


def strict(graph, inputs):
    for node in graph.graph.nodes:
        if node.target == "cumsum":
            raise NotImplementedError(f"{node.target} is not supported")
    return graph.forward


def specializes(x):
    return fixed(x) + 1


def stays_dynamic(x):
    return free(x) + 1


def raises(x):
    return refused(x) + 1


def sums(x):
    y = x.relu()
    return y.cumsum(0)  # unsupported


def writes(x, part, keep):
    out = x * 2
    out[keep] = part.sin()  # written
    return out


def scatters(x, part, keep):
    out = x * 2
    out.masked_scatter_(keep.unsqueeze(-1), part.sin())
    return out


def graphs(function, calls, backend="eager"):
    torch._dynamo.reset()
    counters.clear()
    results = [torch.compile(function, backend=backend)(*call) for call in calls]
    return counters["stats"]["unique_graphs"], results


sizes = [(torch.ones(size, 2),) for size in (3, 4, 5)]
assert [graphs(each, sizes)[0] for each in (specializes, stays_dynamic)] == [3, 2]
for function, backend in ((raises, "eager"), (sums, strict)):
    try:
        graphs(function, sizes[:1], backend)
    except Exception as error:
        print(type(error).__name__)
part, keep = torch.ones(2, 2, requires_grad=True), torch.tensor([True, False, True])
gradients = []
for function, number in ((writes, 0), (scatters, 1)):
    count, (out,) = graphs(function, [(torch.ones(3, 2), part, keep)], "aot_eager")
    assert count == number, count
    gradients.append(torch.autograd.grad(out.sum(), part)[0])
assert torch.equal(*gradients)
"""


def findings(folder: Path, program: str, code: int = 0, **environment: str) -> list[dict[str, Any]]:
    """What a recorded run of a program shows."""
    (folder / "lines.py").write_text(program)
    ran = inspect(["run", "lines.py"], folder, **environment)
    assert ran.returncode == code, ran.stderr
    shown = inspect(["explain", "--format", "json"], folder)
    found: list[dict[str, Any]] = json.loads(shown.stdout)["findings"]
    return found


def code_of(finding: dict[str, Any]) -> str:
    """The source of the line that a finding is at."""
    lines = {line["line"]: line["text"] for line in finding["excerpt"]}
    return str(lines[finding["line"]]).strip()


def test_a_failure_leads_to_the_line_of_its_operator(tmp_path: Path) -> None:
    found = findings(tmp_path, FAILURES)
    places = {(item["rule"], code_of(item).partition("# ")[2]): item for item in found}

    raised = places["compile-error", "raises"]
    assert "no such layout" in raised["why"]
    refused = places["compile-error", "unsupported"]
    assert any(note.startswith("raised at lines.py:") for note in refused["notes"])
    written = places["graph-break", "written"]
    assert written["gb_id"] == "GB0219"
    assert "aten.nonzero.default while tracing aten.index.Tensor in the backward" in written["why"]
    assert written["fix"].endswith("with `mask.unsqueeze(-1)` if the mask selects rows.")
    (recompiled,) = (item for item in found if "specializes" in item["message"])
    assert "(`size = int(x.shape[0])" in recompiled["fix"]
    assert "fake implementation" in recompiled["fix"]


# No kernel is generated of these: nothing but operators of ATen is called.
CACHED = """
import torch
from torch._dynamo.utils import counters


def checked(x):
    inverse = torch.linalg.inv(x)
    return inverse


def unchecked(x):
    return torch.linalg.inv_ex(x)[0]


bypasses = []
for function in (checked, unchecked):
    counters.clear()
    torch.compile(function)(torch.eye(3))
    bypasses.append(counters["inductor"]["fxgraph_cache_bypass"])
assert bypasses == [1, 0], bypasses
"""


def test_a_bypass_leads_to_the_line_of_its_operator(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, CACHED)

    assert found["message"] == "the FX graph cache is bypassed by `torch.linalg.inv`"
    assert code_of(found) == "inverse = torch.linalg.inv(x)"
    assert found["fix"].startswith("Use `torch.linalg.inv_ex(…)[0]` instead")
    assert found["notes"] == ["recompiled in every process"]


REFUSED = """
import os
import torch
from torch._inductor import config

config.cpp.cxx = (None, os.path.abspath("compiler"))


@torch.compile
def model(x):
    y = x.sin()
    return y + 1


model(torch.ones(3))
"""
COMPILER = """#!/bin/sh
case "$1" in *version*) exec g++ "$@";; esac
echo "In file included from a.h:1:" >&2
echo "k.cpp:7:3: error: 'nope' was not declared in this scope" >&2
echo "    7 |   auto tmp0 = nope;" >&2
exit 1
"""


def test_the_first_error_of_a_compiler_is_shown(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    caches = str(tmp_path / "caches")
    found = findings(tmp_path, REFUSED, 1, TORCHINDUCTOR_CACHE_DIR=caches)

    error = next(item for item in found if item["rule"] == "compile-error")
    assert error["message"].endswith("C++ compile error: 'nope' was not declared in this scope")
    assert code_of(error) in {"y = x.sin()", "return y + 1"}
    assert "auto tmp0 = nope;" in error["why"]
    assert "In file included" not in error["why"]
    assert "In file included" in error["output"]
