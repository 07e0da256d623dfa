"""`inspect profile --kernel` on a GPU: configurations are timed and checked, nothing changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "kernel-bench-1.schema.json").read_text("utf-8"))
# A row of sums over many columns (a reduction with a loop), a running mean that is changed in
# place, a product, and a kernel of the program's own that is tuned by Inductor.
MODEL = """
import torch
import triton
import triton.language as tl
from torch import nn

@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=4),
                          triton.Config({"BLOCK": 1024}, num_warps=8)], key=["numel"])
@triton.jit
def gated(values, gates, result, numel, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < numel
    value, gate = tl.load(values + places, mask), tl.load(gates + places, mask)
    tl.store(result + places, value * tl.sigmoid(gate), mask)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(1024, 1024)
        self.register_buffer("mean", torch.zeros(2048))

    def forward(self, x):
        y = self.linear(x)
        total = (y * y).sum(-1)
        self.mean.mul_(0.9).add_(total[:2048] * 0.1)
        result = torch.empty_like(y)
        numel = result.numel()
        gated[lambda meta: (triton.cdiv(numel, meta["BLOCK"]),)](y, x, result, numel)
        wide = result.reshape(64, -1)
        return wide.sum(-1), self.mean + total[:2048]

torch.manual_seed(0)
model = Net().cuda().requires_grad_(False)
example_inputs = (torch.randn(4096, 1024, device="cuda"),)
"""
# The same model, benchmarked in its own process: what it gives afterwards is what it gave before.
UNCHANGED = """
import sys
import torch
from inspector.capture import versions
from inspector.capture.alone import bench
from inspector.capture.alone.bench import Alone
from inspector.capture.alone.calls import called_kernels
from inspector.capture.state import State
from model import example_inputs, model

said = []
bench.write_artifact = lambda *given: said.append(given)
mode = sys.argv[1] if len(sys.argv) > 1 else None
compiled = torch.compile(model, mode=mode)
state = State(model)

def prepared():
    state.restore()
    torch.compiler.cudagraph_mark_step_begin()
    given = tuple(item.clone() for item in example_inputs)
    return lambda: compiled(*given)

for _ in range(4):
    before = [item.clone() for item in prepared()()]
mean = model.mean.clone()
names = [name for name, kind in called_kernels().items() if kind == "triton"]
assert len(names) >= 3, names
for name in names:
    Alone(name, with_configs=True).measure(0, prepared)
after = [item.clone() for item in prepared()()]
assert all(map(torch.equal, before, after))
assert torch.equal(mean, model.mean)
assert [payload["name"] for _, payload in said] == names
for _, payload in said:
    assert "missing" not in payload, payload
    assert payload["results"], payload["name"]
    assert payload["configs"][payload["chosen"]]["cold_ns"], payload["name"]
    assert len(payload["configs"]) > 1, payload["name"]
restored = {name for _, payload in said for name in payload["restored"]}
assert restored, "the running mean is changed in place"
print("unchanged", len(said))
"""
# A configuration that leaves out half of its work is faster, and must not be taken.
WRONG = """
import torch
from inspector.capture.alone import bench, triton_configs
from inspector.capture.alone.bench import Alone
from inspector.capture.alone.calls import called_kernels
from model import example_inputs, model

said = []
bench.write_artifact = lambda *given: said.append(given)
compiled = torch.compile(model)
for _ in range(2):
    compiled(*example_inputs)
name = next(name for name in called_kernels() if name.startswith("triton_red"))
own = triton_configs.Configurations._compiled
spoiled = []

def compile_wrongly(self, config):
    launcher = own(self, config)
    if spoiled:
        return launcher

    def wrong(*args, stream):
        names = triton_configs.parameter_names(launcher)
        given = list(args)
        place = names.index("xnumel")
        given[place] //= 2
        return launcher(*given, stream=stream)

    for attribute in ("n_regs", "n_spills", "shared", "config"):
        setattr(wrong, attribute, getattr(launcher, attribute, None))
    spoiled.append(triton_configs.config_key(config))
    return wrong

triton_configs.Configurations._compiled = compile_wrongly
Alone(name, with_configs=True).measure(0, lambda: lambda: compiled(*example_inputs))
((_, payload),) = said
found = [config for config in payload["configs"]
         if config.get("difference") and not config["difference"]["is_correct"]]
assert len(found) == 1, [config.get("difference") for config in payload["configs"]]
assert not found[0].get("final_cold_ns")
right = [config for config in payload["configs"] if config not in found and not config["error"]]
assert len(right) > 3
print("caught", found[0]["difference"]["relative"])
"""


def environment(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")])
    return {
        **os.environ,
        "PYTHONPATH": paths,
        "COLUMNS": "80",
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches"),
    }


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "unchanged.py").write_text(UNCHANGED)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


def profiled(folder: Path, *arguments: str) -> dict[str, Any]:
    command = ("-m", "inspector.commands", "profile", *arguments, "--format", "json")
    found: dict[str, Any] = json.loads(run(folder, *command))
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.parametrize("mode", ["", "reduce-overhead"])
def test_configurations_of_a_reduction_are_timed(folder: Path, mode: str) -> None:
    how = ("--mode", mode) if mode else ()
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "triton_red", "--configs", *how)
    assert report["missing"] is None, report["notices"]
    assert report["searched"]
    assert report["in_place"]["launches"] >= 1
    configs = report["configs"]
    timed = [config for config in configs if config["cold"] and config["warm"]]
    assert len(timed) > 5
    assert len({json.dumps([config["values"], config["num_warps"], config["num_stages"]])
                for config in configs}) == len(configs)  # fmt: skip
    for mark in ("chosen", "best", "autotuned"):
        (marked,) = [config for config in configs if config[mark]]
        assert marked["second_run"], mark
        assert marked["difference"]["is_correct"], mark
        assert marked["registers"] > 0
    (chosen,) = [config for config in configs if config["chosen"]]
    assert chosen["difference"]["is_exact"]
    # Alone it takes about what it takes in place: between warm and cold, or near to them.
    low, high = chosen["warm"]["median_ns"], chosen["cold"]["median_ns"]
    assert low <= high * 1.05
    assert 0.6 * low <= report["in_place"]["median_ns"] <= 1.6 * high
    assert any(config["difference"] and not config["difference"]["is_exact"] for config in configs)
    assert {rate["regime"] for rate in report["rates"]} >= {"cold", "warm"}


def test_a_kernel_of_the_program_s_own_is_tuned_among_its_configurations(folder: Path) -> None:
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "gated", "--configs")
    assert report["kernel_kind"] == "user_triton"
    assert report["sizes_kept"]
    blocks = {config["values"]["BLOCK"] for config in report["configs"]}
    assert blocks == {256, 1024}
    warps = {config["num_warps"] for config in report["configs"] if config["cold"]}
    assert len(warps) > 2, report["configs"]
    assert "result" in report["results"]
    assert "values" not in report["results"]


def test_a_library_s_function_is_timed(folder: Path) -> None:
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "mm", "--configs")
    assert report["kernel_kind"] == "library"
    (config,) = report["configs"]
    assert config["cold"]["median_ns"] > 0
    assert any("max-autotune" in notice for notice in report["notices"])
    assert {rate["what"] for rate in report["rates"]} == {"bytes", "flops"}


@pytest.mark.parametrize("mode", ["", "reduce-overhead"])
def test_the_model_gives_the_same_afterwards(folder: Path, mode: str) -> None:
    assert "unchanged" in run(folder, "unchanged.py", *filter(None, [mode]))


def test_a_wrong_configuration_is_caught(folder: Path) -> None:
    assert "caught" in run(folder, "wrong.py")


def test_the_table_of_torch_takes_what_was_found(folder: Path) -> None:
    """What the report says to write makes Inductor compile that configuration alone."""
    report = profiled(folder, "model.py", "--no-grad", "--kernel", "triton_red", "--configs")
    other = next(
        config
        for config in report["configs"]
        if not config["chosen"] and config["cold"] and config["values"]
    )
    entry = {**other["values"], "num_warps": other["num_warps"], "num_stages": other["num_stages"]}
    (folder / "told.py").write_text(
        "import torch\n"
        "import torch._inductor.config as config\n"
        "from torch._inductor.codecache import PyCodeCache\n"
        f"config.autotune_lookup_table[{report['lookup_key']!r}] = {entry!r}\n"
        "from model import example_inputs, model\n"
        "torch.compile(model)(*example_inputs)\n"
        f"name = {report['kernel']!r}\n"
        "found = [vars(m).get(name) for m in PyCodeCache.modules]\n"
        "kernel = next(kernel for kernel in found if getattr(kernel, 'launchers', None))\n"
        "(launcher,) = kernel.launchers\n"
        "print(dict(launcher.config.kwargs), launcher.config.num_warps)\n"
    )
    assert run(folder, "told.py").strip() == f"{other['values']} {other['num_warps']}"
