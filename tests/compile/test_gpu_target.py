"""Code for a GPU that is not there: it is generated, it is the GPU's, and nothing stays patched."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import triton
from torch._dynamo import device_interface
from torch._inductor import compile_fx
from torch._inductor.graph import GraphLowering
from torch._subclasses import meta_utils

from benchmarks.exactness.compare_kernels import LIMIT_SECONDS, compare, load
from inspector.capture.gpu_target import session
from inspector.capture.gpu_target.accelerator import _registry
from inspector.records.gpu_target import GpuTarget
from inspector.shared.gpu_table import known_gpu
from tests.compile.gpu_kernels import kernels_for

# Small ones of different kinds; `python -m benchmarks.exactness.compare_kernels` compares all.
COMPARED = (
    ("pointwise.gelu_chain", "training"),
    ("norms.group_norm", "training"),
    ("attention.alibi", "inference"),
    ("convolutions.autocast", "inference"),
    ("indexing.embedding", "training"),
)
ATTENTION = """
import torch
from torch.nn.functional import scaled_dot_product_attention as attend

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(64, device="cuda"))

    def forward(self, x):
        bias = torch.zeros(x.shape[-2], device="cuda")
        y = attend(x * self.scale, x, x, is_causal=True)
        return (y[..., 1:] + bias[:, None]).softmax(-1)

model = Model().cuda().bfloat16()
example_inputs = (torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.bfloat16),)
"""


@contextmanager
def _h200(said: list[GpuTarget]) -> Iterator[None]:
    """Code for an H200; what is written of it is kept."""
    with mock.patch.object(session, "emit", said.append), session.gpu_target(known_gpu("h200")):
        yield


def kernels(
    folder: Path, *arguments: str, gpu: str = "h200", model: str = ATTENTION
) -> dict[str, Any]:
    """What is generated; test_builds.py and test_kernels_compiled.py compile such kernels."""
    (folder / "model.py").write_text(model)
    saved = "--no-compile", "--save", str(folder / "recording")
    return kernels_for(gpu, Path("model.py"), folder, *saved, *arguments)


@contextmanager
def _codes() -> Iterator[tuple[list[str], list[GpuTarget]]]:
    """The code that is generated for an H200, and what is written of it."""
    codes: list[str] = []
    said: list[GpuTarget] = []
    with (
        mock.patch.object(GraphLowering, "save_output_code", staticmethod(codes.append)),
        _h200(said),
    ):
        yield codes, said
    torch._dynamo.reset()


def test_devices_that_cross_a_graph_break_are_where_the_tensors_are() -> None:
    def positions(count: int, device: torch.device, name: str) -> torch.Tensor:
        return torch.arange(count, device=device) + torch.zeros(count, device=name)

    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        print("a break")
        return y + run(len(x), y.device, y.device.type)

    run = torch._dynamo.disable(positions)
    said: list[GpuTarget] = []
    with _h200(said):
        result = torch.compile(function)(torch.zeros(4))
    torch._dynamo.reset()

    assert result.tolist() == [1, 2, 3, 4]
    assert [item for item in said if item.error] == []


@pytest.mark.parametrize(("gpu", "attention", "capability"), [
    ("h200", "cudnn", 90), ("a100", "flash", 80), ("l4", "flash", 89),
])  # fmt: skip
def test_a_model_that_asks_for_cuda_gets_the_gpus_kernels(
    tmp_path: Path, gpu: str, attention: str, capability: int
) -> None:
    found = kernels(tmp_path, "--train", gpu=gpu)
    assert [target["error"] for target in found["targets"]] == [None]
    assert attention in found["targets"][0]["attention"]
    assert {graph["direction"] for graph in found["graphs"]} == {"forward", "backward"}
    assert found["kernels"]
    for kernel in found["kernels"]:
        assert kernel["options"]["triton_meta"]["device"]["cc"] == capability
    lines = [node["line"] for kernel in found["kernels"] for node in kernel["nodes"]]
    assert 13 in lines  # the last line of `forward`


def test_a_model_of_another_folder_may_ask_for_cuda(tmp_path: Path) -> None:
    other, project = tmp_path / "elsewhere", tmp_path / "project"
    for folder in (other, project):
        folder.mkdir()
    (other / "its_model.py").write_text(ATTENTION)
    model = f"import sys; sys.path.append({str(other)!r}); from its_model import *"

    found = kernels(project, model=model)

    assert [target["error"] for target in found["targets"]] == [None]
    assert {node["line"] for kernel in found["kernels"] for node in kernel["nodes"]} >= {12, 13}


def test_what_is_patched_is_put_back_after_an_exception() -> None:
    def state() -> list[object]:
        owners = (torch.cuda, device_interface.CudaInterface, compile_fx)
        patched: list[object] = [dict(vars(owner)) for owner in owners]
        describe = vars(meta_utils.MetaTensorDescriber)["describe_tensor"]
        select = torch._C._select_conv_backend
        return [*patched, describe, select, list(_registry()), torch.cuda.is_available()]

    def attend() -> str:
        tensor = torch.randn(1, 2, 8, 8)
        return str(torch.nn.functional.scaled_dot_product_attention(tensor, tensor, tensor).shape)

    before, attended = state(), attend()

    def fail() -> None:
        with _h200([]):
            assert torch.cuda.is_available()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert state() == before
    assert attend() == attended


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune"])
def test_every_mode_of_torch_compile_has_code(mode: str) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 96))
    with _codes() as (codes, said):
        torch.compile(model, mode=mode)(torch.randn(64, 64)).sum().backward()

    (target,) = said
    assert not target.error
    assert not target.missing
    taken, templates = codes[0], target.alternatives
    assert "extern_kernels" in taken
    assert "triton_tem_" not in taken
    if mode == "reduce-overhead":
        assert not target.measured
        assert "partition_0" in taken
        return
    # The GPU would measure: the source of each template, and the code if templates are taken.
    multiplications = [item for item in target.measured if item.what == "template"]
    assert len(multiplications) == 5
    for item in multiplications:
        assert item.detail.startswith(("mm float32 ", "addmm float32 "))
        assert item.taken in {"mm", "addmm", "bias_addmm"}
        assert len(item.sources) > 5
        assert all("tl.dot(" in source for source in item.sources.values())
    assert [item.decided for item in templates] == ["template", "template"]
    assert all("triton_tem_fused" in item.code for item in templates)


def test_the_users_model_stays_as_it_was() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU())
    inputs = torch.randn(4, 8)
    expected = module(inputs)
    said: list[GpuTarget] = []
    with _h200(said):
        result = torch.compile(module)(inputs)
    assert [item for item in said if item.error] == []
    assert len(said) == 1
    assert torch.equal(result, expected)
    assert {parameter.device.type for parameter in module.parameters()} == {"cpu"}
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(module, backend="eager")(inputs), expected)


@pytest.mark.parametrize(("name", "pass_"), COMPARED)
def test_kernels_are_those_of_the_gpu(name: str, pass_: str) -> None:
    recorded = load()
    transformers = importlib.metadata.version("transformers")  # to import it takes 2 s
    here = (torch.__version__.partition("+")[0], triton.__version__, transformers)
    there = (
        recorded["torch"].partition("+")[0], recorded["triton"], recorded["transformers"],
    )  # fmt: skip
    if here != there:
        pytest.skip(f"recorded with torch, Triton, transformers {there}; these are {here}")
    found = compare(name, pass_, recorded["cases"][name][pass_], LIMIT_SECONDS)
    assert found.is_same, found
