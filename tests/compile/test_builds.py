"""Kernels compiled without a GPU, by the Triton that is installed.

With the torch, Triton and ptxas of the record (INSPECTOR_PYTHON_OF_RECORD names an interpreter that
has them) registers, spills and shared memory must be those that the GPU's machine reported.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import EnvironmentLacksError
from inspector.features.kernels.binary.facts import facts_of
from inspector.features.kernels.binary.run import compile_kernels
from inspector.shared.gpus import ARCHITECTURES
from inspector.shared.kernel_build import KernelBuild
from tests.builds_fixture import H200, compiled_again, load, needs, recorded_kernels, reported

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


def _source(
    body: str = ADD, configs: str = "[{'num_warps': 4, 'BLOCK': 1024}]", cc: int = 90
) -> str:
    return KERNEL.replace("CONFIGS", configs).replace("CC", str(cc)).replace("BODY", body)


CAPABILITIES = (75, 80, 86, 89, 90, 100, 120)
SOURCES = {
    **{f"sm_{cc}": _source(cc=cc) for cc in CAPABILITIES},
    "undefined name": _source("tl.store(y + at, undefined_name)"),
    "shapes": _source("tl.store(y + at, tl.load(x + at) + tl.arange(0, 3))"),
    "one bad configuration": _source(
        configs="[{'num_warps': 4, 'BLOCK': 1000}, {'num_warps': 4, 'BLOCK': 512}]"
    ),
    "no Python": "not python at all(",
    "raises": _source(configs="None"),
    "no kernel": HEADER + "# DeviceProperties(cc=90)",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Built:
    """All sources, compiled by one process.

    Attributes:
        builds: Build by name of the source.
        progress: What was said meanwhile.
        folder: Where the results are.
    """

    builds: dict[str, KernelBuild]
    progress: list[tuple[int, int, str]]
    folder: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("store")
    progress: list[tuple[int, int, str]] = []
    # A source with one kernel need not call it as Inductor does.
    builds = compile_kernels(
        SOURCES.items(), folder=folder, on_progress=lambda *said: progress.append(said)
    )
    return Built({build.name: build for build in builds}, progress, folder)


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
            assert needs(build) == reported(row), row["module"]
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


def test_a_second_time_comes_from_the_store(built: Built) -> None:
    (again,) = compile_kernels([("sm_90", SOURCES["sm_90"])], folder=built.folder)
    assert not built.builds["sm_90"].cached
    assert again == dataclasses.replace(built.builds["sm_90"], cached=True)
    assert len({build.key for build in built.builds.values()}) >= len(SOURCES) - 1
    done = [progress[0] for progress in built.progress]
    assert done == list(range(1, len(done) + 1))
    assert built.progress[-1][:2] == (len(done), len(done))
    assert {name for _, _, name in built.progress} == set(SOURCES) - {"no Python"}


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_gpus_that_are_not_there(capability: int, built: Built) -> None:
    build = built.builds[f"sm_{capability}"]
    (config,) = build.configs
    assert (build.error, config.error) == ("", "")
    assert config.resources is not None
    assert config.resources.registers > 0
    assert build.capability == capability
    architecture = ARCHITECTURES[divmod(capability, 10)]
    facts = facts_of(build, dataclasses.replace(H200, architecture=architecture))
    assert sum(width.bytes for width in facts.configs[0].analysis.loads) == 4096


def test_a_kernel_that_does_not_compile_is_a_result(built: Built) -> None:
    (config,) = built.builds["shapes"].configs
    assert "power of 2" in config.error
    assert config.resources is None
    assert facts_of(built.builds["shapes"], H200).configs == ()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no Python", "does not name a target device"),
        ("raises", "TypeError"),
        ("undefined name", "undefined_name"),
        ("no kernel", "defines 0 kernels"),
    ],
)
def test_a_source_that_does_not_run_is_a_result(name: str, said: str, built: Built) -> None:
    assert said in built.builds[name].error


def test_a_compiler_that_dies_or_hangs_is_a_result() -> None:
    from inspector.capture.kernel_builds.forks import Forks

    forks = Forks(lambda task: task(), workers=2, time_limit_s=1)
    forks.add(lambda: os.kill(os.getpid(), signal.SIGKILL))
    forks.add(lambda: time.sleep(60))
    assert sorted(outcome.error for outcome in forks.outcomes()) == [
        "compilation took longer than 1 s",
        "the compiler was killed by SIGKILL",
    ]


def test_an_interpreter_without_triton_is_named() -> None:
    with pytest.raises(EnvironmentLacksError, match="could not compile kernels"):
        list(compile_kernels([("kernel", SOURCES["sm_90"])], python="/usr/bin/false"))
