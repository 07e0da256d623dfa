"""Kernels compiled without a GPU, by the Triton that is installed.

With the torch, Triton and ptxas of the record (INSPECTOR_PYTHON_OF_RECORD names an interpreter that
has them) registers, spills and shared memory must be those that the GPU's machine reported.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inspector.builds.facts import facts_of
from inspector.builds.run import compile_kernels
from inspector.errors import EnvironmentLacksError
from inspector.findings.finding import Finding, Place
from inspector.model.kernel_analysis import KernelWork
from inspector.model.kernel_build import KernelBuild
from inspector.plugins import load_kernel_analyses
from tests.builds_fixture import H200, compiled_again, load, recorded_kernels

PROGRAMS = ("gelu", "softmax_bf16", "cumsum_long", "sum_columns", "own_matmul")
HEADER = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties
triton_helpers.set_driver_to_gpu()
"""
KERNEL = (
    HEADER
    + """
@triton_heuristics.user_autotune(
    configs=CONFIGS,
    inductor_meta={'grid_type': 'FixedGrid', 'kernel_name': 'kernel',
        'fixed_grid': ['_grid_0', '_grid_1', '_grid_2'],
        'extra_launcher_args': ['_grid_0', '_grid_1', '_grid_2']},
    triton_meta={'signature': {'x': '*fp32', 'y': '*fp32', 'BLOCK': 'constexpr'},
        'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=CC,
            major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
            warp_size=32),
        'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]],
            (1,): [['tt.divisibility', 16]]}]},
    filename=__file__,
    custom_kernel=True,
)
@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    BODY
"""
)
ADD = "tl.store(y + at, tl.load(x + at) + 1)"
# A tile of 128x128 that has to stay alive over two sums.
SPILLS = (
    "tile = tl.arange(0, 128)[:, None] * 128 + tl.arange(0, 128)[None, :]\n"
    "    a = tl.load(x + tile)\n"
    "    b = tl.sum(a, 1)\n"
    "    c = tl.sum(a * a, 0)\n"
    "    tl.store(y + tile, a * b[:, None] + c[None, :])"
)


def _source(
    body: str = ADD, configs: str = "[{'num_warps': 4, 'BLOCK': 1024}]", cc: int = 90
) -> str:
    return KERNEL.replace("CONFIGS", configs).replace("CC", str(cc)).replace("BODY", body)


def _build(source: str, folder: Path, **options: Any) -> KernelBuild:
    (build,) = compile_kernels([("kernel", source)], folder=folder, **options)
    return build


def test_recorded_sources_compile_to_what_the_gpu_reported(tmp_path: Path) -> None:
    recorded = load("h200_recorded.json.xz")
    python = os.environ.get("INSPECTOR_PYTHON_OF_RECORD", sys.executable)
    everything = "INSPECTOR_PYTHON_OF_RECORD" in os.environ
    chosen = [row for row in recorded_kernels(recorded) if everything or row["module"] in PROGRAMS]
    builds = compiled_again({**recorded, "kernels": chosen}, python, tmp_path)
    is_same = _is_same_compiler(recorded, next(iter(builds.values())))
    assert is_same or not everything, "the interpreter has other versions than the record"
    for row in chosen:
        build = builds[row["source"]]
        assert [config.error for config in build.configs] == [""] * len(build.configs)
        if is_same:
            assert _needs(build) == _reported(row), row["module"]
        else:
            # Another Triton makes other code of it; what is tried may differ too.
            assert all(config.resources and config.resources.registers for config in build.configs)


def _is_same_compiler(recorded: dict[str, Any], build: KernelBuild) -> bool:
    versions = dict(build.versions)
    return (
        versions["torch"] == recorded["torch"]
        and versions["triton"] == recorded["triton"]
        and versions["ptxas"].rpartition(".")[0] in recorded["ptxas"]
    )


def _needs(build: KernelBuild) -> list[tuple[Any, ...]]:
    return [
        (dict(at.values), at.num_warps, at.num_stages, at.resources.registers,
         at.resources.spilled_registers, at.resources.shared_bytes)
        for at in build.configs
        if at.resources
    ]  # fmt: skip


def _reported(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            at["kwargs"],
            at["num_warps"],
            at["num_stages"],
            at["n_regs"],
            at["n_spills"],
            at["shared"],
        )
        for at in row["configs"]
    ]


def test_a_second_time_comes_from_the_store(tmp_path: Path) -> None:
    source = _source()
    first = _build(source, tmp_path)
    second = _build(source, tmp_path)
    assert (first.cached, second.cached) == (False, True)
    assert dataclasses.replace(second, cached=False) == first
    other = _build(_source(cc=80), tmp_path)
    assert (other.cached, other.key != first.key) == (False, True)


def test_the_texts_are_analysed(tmp_path: Path) -> None:
    facts = facts_of(_build(_source(), tmp_path), H200)
    (config,) = facts.configs
    assert [(width.bits, width.bytes) for width in config.analysis.loads] == [(128, 4096)]
    assert config.analysis.occupancy is not None
    assert config.analysis.occupancy.share == 1.0
    assert [line.line for line in config.analysis.lines if line.sass and line.ttgir and line.ptx]
    kinds = [kind for kind, _ in config.config.texts]
    assert kinds == ["ttir", "ttgir", "llir", "ptx", "cubin", "sass"]
    assert str(tmp_path) not in Path(facts.build.folder, "0.ptx").read_text(encoding="utf-8")


@pytest.mark.parametrize("capability", [75, 80, 86, 89, 90, 100, 120])
def test_gpus_that_are_not_there(capability: int, tmp_path: Path) -> None:
    build = _build(_source(cc=capability), tmp_path)
    (config,) = build.configs
    assert (build.error, config.error) == ("", "")
    assert config.resources is not None
    assert config.resources.registers > 0
    facts = facts_of(build, dataclasses.replace(H200, capability=capability))
    assert sum(width.bytes for width in facts.configs[0].analysis.loads) == 4096


def test_spilled_bytes_are_those_of_ptxas(tmp_path: Path) -> None:
    build = _build(_source(SPILLS, "[{'num_warps': 1, 'BLOCK': 16}]"), tmp_path)
    (config,) = facts_of(build, H200).configs
    resources = config.config.resources
    assert resources is not None
    assert 0 < resources.registers <= 255
    assert resources.spill_store_bytes
    assert resources.spill_load_bytes
    assert resources.spilled_registers > 0
    assert config.analysis.local_instructions > 0


def _rules(build: KernelBuild, work: KernelWork | None = None) -> dict[str, Finding]:
    facts = facts_of(build, H200, work or KernelWork(bytes=1 << 30, programs=100_000))
    rules = [module.RULE for module in load_kernel_analyses()]
    return {
        finding.rule: finding
        for rule in rules
        for finding in rule.check([facts], lambda _: Place())
    }


def test_a_kernel_that_spills_is_found(tmp_path: Path) -> None:
    found = _rules(_build(_source(SPILLS, "[{'num_warps': 1, 'BLOCK': 16}]"), tmp_path))
    assert "bytes of registers per thread" in found["kernel-spills"].message
    healthy = _rules(_build(_source(SPILLS, "[{'num_warps': 16, 'BLOCK': 16}]"), tmp_path))
    assert "kernel-spills" not in healthy


@pytest.mark.parametrize(("precision", "is_found"), [("ieee", True), ("tf32", False)])
def test_a_product_off_the_tensor_cores_is_found(
    *, precision: str, is_found: bool, tmp_path: Path
) -> None:
    body = (
        "tile = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]\n"
        f"    c = tl.dot(tl.load(x + tile), tl.load(x + tile), input_precision='{precision}')\n"
        "    tl.store(y + tile, c)"
    )
    found = _rules(_build(_source(body), tmp_path))
    assert ("kernel-no-tensor-cores" in found) == is_found
    if is_found:
        assert "TF32 is not allowed" in found["kernel-no-tensor-cores"].why


def test_low_occupancy_of_a_memory_bound_kernel_is_found(tmp_path: Path) -> None:
    body = (
        "tile = tl.program_id(0) * 4096 + tl.arange(0, 4096)\n"
        "    a = tl.load(x + tile)\n"
        "    tl.store(y + tile, a - tl.sum(a, 0))"
    )
    found = _rules(_build(_source(body, "[{'num_warps': 1, 'BLOCK': 16}]"), tmp_path))
    assert "of 64 warps" in found["kernel-low-occupancy"].message
    assert "registers" in found["kernel-low-occupancy"].why
    healthy = _rules(_build(_source(body, "[{'num_warps': 8, 'BLOCK': 16}]"), tmp_path))
    assert "kernel-low-occupancy" not in healthy


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("tl.store(y + at, undefined_name)", "undefined_name"),
        ("tl.store(y + at, tl.load(x + at) + tl.arange(0, 3))", "arange"),
    ],
)
def test_a_kernel_that_does_not_compile_is_a_result(body: str, said: str, tmp_path: Path) -> None:
    build = _build(_source(body), tmp_path)
    (config,) = build.configs
    assert said in config.error
    assert config.resources is None


def test_one_bad_configuration_does_not_hide_the_others(tmp_path: Path) -> None:
    configs = "[{'num_warps': 4, 'BLOCK': 1000}, {'num_warps': 4, 'BLOCK': 512}]"
    build = _build(_source(configs=configs), tmp_path)
    assert [bool(config.error) for config in build.configs] == [True, False]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("not python at all(", "names no device"),
        (_source() + "\nraise RuntimeError('no')", "RuntimeError: no"),
        (_source() + "\nimport os\nos.kill(os.getpid(), 11)", "SIGSEGV"),
        (HEADER + "# DeviceProperties(cc=90)", "makes 0 kernels"),
    ],
)
def test_a_source_that_does_not_run_is_a_result(source: str, said: str, tmp_path: Path) -> None:
    assert said in _build(source, tmp_path).error


def test_the_time_limit_ends_a_kernel_and_not_the_others(tmp_path: Path) -> None:
    hangs = _source() + "\nimport time\ntime.sleep(600)"
    began = time.monotonic()
    builds = list(
        compile_kernels(
            [("kernel", hangs), ("kernel", _source())], folder=tmp_path, workers=2, time_limit_s=20
        )
    )
    assert time.monotonic() - began < 90
    errors = {build.error for build in builds}
    assert errors == {"", "compiling it took longer than 20 s"}


def test_the_store_is_kept_small(tmp_path: Path) -> None:
    from inspector.capture.builds.build import Source, build_kernels
    from inspector.capture.builds.store import Store

    first = list(build_kernels([Source("kernel", _source())], Store(tmp_path, 1 << 30)))
    store = Store(tmp_path, 1)
    second = list(build_kernels([Source("kernel", _source(cc=80))], store))
    assert not Path(first[0]["folder"]).exists()
    assert Path(second[0]["folder"]).exists()


def test_an_interpreter_without_triton_is_named() -> None:
    with pytest.raises(EnvironmentLacksError, match="could not compile kernels"):
        list(compile_kernels([("kernel", _source())], python="/usr/bin/false"))
