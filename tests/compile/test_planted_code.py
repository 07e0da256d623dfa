"""Code in a log runs nowhere, wherever Python or Triton could run it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from inspector.features.kernels.binary.run import compile_kernels
from inspector.shared.kernel_build import KernelBuild
from tests.compile.gpu_kernels import ROOT, inspected

SAMPLE = ROOT / "samples" / "small_cnn" / "h200-inference.zip"
KERNEL = "triton_poi_fused_convolution_0"
RUN = "__import__('pathlib').Path('MARK').touch()"

SOURCE = """
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.user_autotune(
    configs=[{'num_warps': 4, 'BLOCK': 1024}],
    inductor_meta={'grid_type': 'FixedGrid', 'kernel_name': 'kernel',
        'fixed_grid': ['_grid_0', '_grid_1', '_grid_2']},
    triton_meta={'signature': {'x': '*fp32', 'y': '*fp32', 'BLOCK': 'constexpr'},
        'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90,
            major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
            warp_size=32),
        'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]]}]},
    filename=__file__,
    custom_kernel=True,
)
@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at), 0.0, tl.PropagateNan.ALL) + 1)
"""
BODY = "    at = tl.program_id(0)"
SYS = "warnings.sys.modules['pathlib'].Path('MARK').touch()"


def before_kernel(text: str) -> str:
    return SOURCE.replace("\n@triton_heuristics", f"\n{text}\n@triton_heuristics")


def in_body(text: str) -> str:
    return SOURCE.replace(BODY, f"    {text}\n{BODY}")


RUNS_WHEN_LOADED = {
    "module level": SOURCE + RUN,
    "import": before_kernel(f"import os; {RUN}"),
    "constant": before_kernel(f"A = {RUN}"),
    "annotated constant": before_kernel(f"A: {RUN} = 1"),
    "class": before_kernel(f"class A:\n    {RUN}"),
    "metaclass": before_kernel(f"class A(metaclass=lambda *_, **__: {RUN}): pass"),
    "f-string": before_kernel(f'A = f"{{{RUN}}}"'),
    "comprehension": before_kernel(f"A = [{RUN} for _ in (1,)]"),
    "conditional": before_kernel(f"if {RUN}: pass"),
    "with": before_kernel(f"with {RUN} or open('/dev/null'): pass"),
    "plain function": before_kernel(f"def f(): {RUN}\nf()"),
    "decorator": SOURCE.replace("@triton.jit", f"@(lambda f: ({RUN}, f)[1])\n@triton.jit"),
    "argument of a decorator": SOURCE.replace("custom_kernel=True", f"custom_kernel=not {RUN}"),
    "unpacked argument": SOURCE.replace("filename=", f"**({RUN} or {{}}), filename="),
    "default argument": SOURCE.replace("BLOCK: tl.constexpr)", f"BLOCK: tl.constexpr = {RUN})"),
    "annotation": SOURCE.replace("def kernel(x,", f"def kernel(x: {RUN},"),
    "return annotation": SOURCE.replace("constexpr):", f"constexpr) -> {RUN}:"),
    "walrus": before_kernel(f"(A := {RUN})"),
    "try": before_kernel(f"try: {RUN}\nfinally: pass"),
    "subscript": before_kernel(f"A = [0][{RUN} or 0]"),
}
RUNS_WHEN_COMPILED = {
    "module of a module": in_body(f"tl.core.{SYS}"),
    "getattr": in_body(f"getattr(tl, 'core').{SYS}"),
    "name that is stored later": in_body(
        "getattr(getattr(getattr(triton_helpers, 'warnings'), 'sys'), 'modules')['MARK']\n"
        "    getattr = 1\n    triton_helpers = 1"
    ),
    "name that a loop stores": in_body("for getattr in range(0): pass\n    getattr(tl, 'core')"),
    "builtins of the module": in_body("__builtins__['open']('MARK', 'w')\n    __builtins__ = 1"),
    "encoding": "# -*- coding: utf-7 -*-" + in_body(f"# +AAo-    tl.core.{SYS}"),
    "huge power": SOURCE.replace("'_grid_0', '_grid_1'", "'9**9**9**9', '1'"),
    "method of a kernel": in_body("kernel.fn.__globals__['MARK']"),
    "f-string of a kernel": in_body(f'tl.static_assert(True, f"{{{RUN}}}")'),
    "import in a kernel": in_body(f"import pathlib; {RUN}"),
    "grid": SOURCE.replace("'_grid_0', '_grid_1'", f'"{RUN}", "1"'),
    "grid of a configuration": SOURCE.replace("BLOCK", "XBLOCK")
    .replace("'FixedGrid'", "'Grid1D'")
    .replace("'XBLOCK': 1024", f"'XBLOCK': \"{RUN}\""),
    "function in a string": SOURCE.replace(
        "@triton.jit",
        f'@triton.jit(repr="""\ndef kernel(x, y, BLOCK: tl.constexpr):\n    tl.core.{SYS}\n""")',
    ),
}
PLANTED = RUNS_WHEN_LOADED | RUNS_WHEN_COMPILED
# Loads each source as the process does that compiles, without looking at it before.
UNCHECKED = """
import contextlib, json, sys
from pathlib import Path
from inspector.capture.kernel_builds import autotuner
from inspector.capture.kernel_builds.tools import forget_driver

folder = Path(sys.argv[1])
forget_driver(90, folder)
autotuner.check_source = lambda source: None
for source in json.load(sys.stdin):
    with contextlib.suppress(Exception):
        autotuner.load_autotuner(source, "kernel", folder / "kernel.py")
"""


def marked(name: str, folder: Path) -> str:
    return PLANTED[name].replace("MARK", str(folder / name))


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("marks")


@pytest.fixture(scope="module")
def builds(marks: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, KernelBuild]:
    sources = [("clean", SOURCE), *((name, marked(name, marks)) for name in PLANTED)]
    built = compile_kernels(sources, folder=tmp_path_factory.mktemp("store"))
    return {build.name: build for build in built}


def test_a_kernel_alone_is_compiled(builds: dict[str, KernelBuild]) -> None:
    (config,) = builds["clean"].configs
    assert (builds["clean"].error, config.error) == ("", "")


@pytest.mark.parametrize("name", PLANTED)
def test_a_source_with_more_is_not_run(
    name: str, builds: dict[str, KernelBuild], marks: Path
) -> None:
    assert "not run" in builds[name].error
    assert not (marks / name).exists()


def test_the_planted_code_would_run(tmp_path: Path) -> None:
    """Otherwise the tests above could not fail."""
    subprocess.run(
        [sys.executable, "-c", UNCHECKED, str(tmp_path)], cwd=ROOT, text=True, check=True,
        input=json.dumps([marked(name, tmp_path) for name in RUNS_WHEN_LOADED]),
        capture_output=True,
    )  # fmt: skip
    assert [name for name in RUNS_WHEN_LOADED if not (tmp_path / name).exists()] == []


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of an H200; the module of its first kernel would create a file."""
    folder = tmp_path_factory.mktemp("planted")
    with zipfile.ZipFile(SAMPLE) as archive:
        archive.extractall(folder / "recording")
    log = folder / "recording" / "trace_0.log"
    text = log.read_text(encoding="utf-8")
    begin = f"async_compile.triton('{KERNEL}', '''\n"
    assert text.count(begin) == 1
    run = RUN.replace("MARK", str(folder / "mark")).replace("'", '"')
    log.write_text(text.replace(begin, f"{begin}\t{run}\n"), encoding="utf-8")
    return folder


def inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return inspected(folder, *arguments, XDG_CACHE_HOME=str(folder))


@pytest.mark.parametrize(
    "arguments",
    [
        "kernels recording",
        "kernels recording --compile",
        f"kernels recording --show {KERNEL} --as sass --compile",
        f"kernels recording --export {KERNEL} -o kernel.py --compile",
        "diff recording recording",
        "diff recording recording --compile",
        "graph recording",
        "explain recording",
        "profile recording",
    ],
)
def test_no_command_runs_it(arguments: str, recording: Path) -> None:
    done = inspect(recording, *arguments.split())
    assert "Traceback" not in done.stderr
    assert not (recording / "mark").exists()
    assert ("not run" in done.stdout + done.stderr) == (
        "kernels" in arguments and "--compile" in arguments
    )


@pytest.mark.parametrize("asked", [("--export", KERNEL), ("--show", KERNEL, "--as", "sass")])
def test_a_recording_is_compiled_on_request_alone(asked: tuple[str, ...], recording: Path) -> None:
    done = inspect(recording, "kernels", "recording", *asked)
    assert done.returncode == 2
    assert "Add --compile" in done.stderr
