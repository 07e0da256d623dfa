"""Records what a GPU's own `CachingAutotuner` says of its kernels: registers, spills, times.

    python tests/gpu/record_builds.py -o h200_builds.json.xz

Every Triton kernel of `build_modules.PROGRAMS` is written down once with its source, and for each
configuration that was tried with what its launcher reports and with how long it took (median of
some launches with a cold L2 cache, from the profiler, in ns). What fails is recorded as such.
Needs torch with CUDA and its Triton alone; takes about two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="record_builds_")

import torch
import torch._inductor.config
import triton
from build_modules import PROGRAMS, Program
from torch._inductor.codegen.triton import TritonScheduling
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

FORMAT = 1
WARM_UP, LAUNCHES = 2, 7
MOST_TIMED_CONFIGS = 8
FLUSHED_BYTES = 256 << 20


class Recorder:
    """Keeps what every autotuner says when it is run for the first time."""

    def __init__(self, deadline: float) -> None:
        self.kernels: list[dict[str, Any]] = []
        self.module = ""
        self.deadline = deadline
        self._seen: set[str] = set()
        self._failed: set[tuple[str, str]] = set()
        self._bytes: dict[str, set[int]] = {}
        self._flushed: torch.Tensor | None = None

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Watches `CachingAutotuner.run` and the definition of kernels."""
        run, define = CachingAutotuner.run, TritonScheduling.define_kernel
        recorder = self

        @functools.wraps(run)
        def watched_run(autotuner: Any, *args: Any, **kwargs: Any) -> Any:
            recorder.record(autotuner, args, kwargs)
            return run(autotuner, *args, **kwargs)

        @functools.wraps(define)
        def watched_define(scheduling: Any, source: str, nodes: Any, kernel: Any) -> Any:
            name = define(scheduling, source, nodes, kernel)
            with contextlib.suppress(Exception):
                recorder._bytes.setdefault(name, set()).add(int(kernel.estimate_kernel_num_bytes()))
            return name

        CachingAutotuner.run, TritonScheduling.define_kernel = watched_run, watched_define
        try:
            yield
        finally:
            CachingAutotuner.run, TritonScheduling.define_kernel = run, define

    def begin(self, module: str) -> None:
        """Kernels' names repeat from one program to the next."""
        self.module = module
        self._bytes.clear()

    def record(self, autotuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Writes one autotuner down, unless its source is known."""
        try:
            source = _source(autotuner)
            if source in self._seen:
                return
            self._seen.add(source)
            if not autotuner.launchers:
                autotuner.precompile()
            if len(autotuner.launchers) > 0:
                self.kernels.append(self._row(autotuner, source, args, kwargs))
        except Exception:  # noqa: BLE001 - the program goes on, and the record says so
            error = traceback.format_exc()
            if (self.module, error) not in self._failed:
                self._failed.add((self.module, error))
                self.kernels.append({"module": self.module, "error": error})

    def _row(
        self, autotuner: Any, source: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        name = str(autotuner.inductor_meta.get("kernel_name") or autotuner.fn.__name__)
        estimates = set(self._bytes.get(name, ()))
        times, problem = self._times(autotuner, args, kwargs)
        configs = [
            {
                "kwargs": dict(launcher.config.kwargs),
                "num_warps": launcher.config.num_warps,
                "num_stages": launcher.config.num_stages,
                "n_regs": launcher.n_regs,
                "n_spills": launcher.n_spills,
                "shared": launcher.shared,
                "static": bool(getattr(launcher, "_is_static", False)),
                "times_ns": taken,
                **_texts(launcher),
            }
            for launcher, taken in zip(autotuner.launchers, times, strict=True)
        ]
        return {
            "module": self.module,
            "name": name,
            "function": autotuner.fn.__name__,
            "source": source,
            "heuristic": str(autotuner.heuristic_type),
            "size_hints": autotuner.size_hints,
            "num_bytes": estimates.pop() if len(estimates) == 1 else None,
            "arguments": [_argument(value) for value in args],
            "compiled": len(autotuner.compile_results),
            "timing_problem": problem,
            "configs": configs,
        }

    def _times(
        self, autotuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[list[int] | None], str]:
        """Times of each launcher, and why there are none."""
        launchers = autotuner.launchers
        none: list[list[int] | None] = [None] * len(launchers)
        if time.monotonic() > self.deadline:
            return none, "out of time"
        try:
            timed = launchers[:MOST_TIMED_CONFIGS]
            measured = self._profiled(autotuner, timed, args, kwargs)
        except Exception as error:  # noqa: BLE001 - registers are worth keeping without times
            return none, f"{type(error).__name__}: {error}"
        if measured is None:
            return none, "the profiler saw another number of launches"
        return [*measured, *none[len(timed) :]], ""

    def _profiled(
        self, autotuner: Any, launchers: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> list[list[int]] | None:
        if self._flushed is None:
            self._flushed = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device="cuda")
        kwargs = {key: value for key, value in kwargs.items() if key != "benchmark_run"}
        cloned, cloned_kwargs = autotuner.clone_args(*args, **kwargs)
        stream = kwargs.get("stream") or torch.cuda.current_stream().cuda_stream
        cloned_kwargs["stream"] = stream
        activities = [torch.profiler.ProfilerActivity.CUDA]
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=activities) as profile:
            for launcher in launchers:
                for _ in range(WARM_UP + LAUNCHES):
                    autotuner.reset_to_zero_args(*cloned)
                    self._flushed.zero_()
                    launcher(*cloned, **cloned_kwargs)
            torch.cuda.synchronize()
        rows = [
            (event.start_ns(), event.duration_ns())
            for event in profile.profiler.kineto_results.events()
            if event.name() == autotuner.fn.__name__
            and event.device_type() == torch.autograd.DeviceType.CUDA
        ]
        each = WARM_UP + LAUNCHES
        if len(rows) != each * len(launchers):
            return None
        durations = [duration for _, duration in sorted(rows)]
        return [
            durations[first + WARM_UP : first + each] for first in range(0, len(durations), each)
        ]


def _source(autotuner: Any) -> str:
    """What `async_compile.triton` got; templates do not keep the name of its file."""
    file = autotuner.filename
    if file is None:
        if autotuner.fn.fn is None:
            autotuner.fn = autotuner._reload_kernel().fn
        file = autotuner.fn.fn.__code__.co_filename
    return Path(file).read_text(encoding="utf-8")


def _texts(launcher: Any) -> dict[str, str]:
    """Hashes of the PTX and the cubin, to tell another compiler from another binary."""
    folders = [os.environ.get("TRITON_CACHE_DIR", ""), os.environ["TORCHINDUCTOR_CACHE_DIR"]]
    found = {}
    for folder in filter(None, folders):
        for path in Path(folder).glob(f"**/{launcher.cache_hash}/*"):
            if path.suffix in {".ptx", ".cubin"}:
                found[path.suffix[1:]] = hashlib.sha256(path.read_bytes()).hexdigest()
        if found:
            break
    return found


def _argument(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)
    return {
        "shape": list(value.shape),
        "stride": list(value.stride()),
        "dtype": str(value.dtype),
        "storage_bytes": value.untyped_storage().nbytes(),
        "aligned": value.data_ptr() % 16 == 0,
    }


def call(program: Program) -> None:
    """Compiles one program and calls it once, forward and backward."""
    torch._dynamo.reset()
    inputs = program.inputs("cuda")
    compiled = torch.compile(
        program.run, dynamic=program.dynamic, options=dict(program.options) or None
    )
    made = compiled(*inputs)
    if program.training:
        made.backward(torch.randn_like(made))
    torch.cuda.synchronize()


def properties() -> dict[str, Any]:
    """What the device and the software say of themselves."""
    device = torch.cuda.get_device_properties(0)
    names = [name for name in dir(device) if not name.startswith("_")]
    facts = {name: getattr(device, name) for name in names}
    path = os.environ.get("TRITON_PTXAS_PATH") or triton.knobs.nvidia.ptxas.path
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return {
        "device": {key: value for key, value in facts.items() if isinstance(value, (int, str))},
        "torch": torch.__version__,
        "triton": triton.__version__,
        "python": sys.version.split()[0],
        "ptxas": version.stdout.strip().rpartition("\n")[2],
    }


def main() -> None:
    """Records all programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="builds.json.xz", help="where to write")
    parser.add_argument("--seconds", type=float, default=110, help="no new program after these")
    parser.add_argument("programs", nargs="*", help="names of programs; all unless named")
    options = parser.parse_args()
    began = time.monotonic()
    recorder = Recorder(began + options.seconds)
    torch._inductor.config.worker_start_method = "subprocess"
    problems: dict[str, str] = {}
    with recorder.installed():
        for program in PROGRAMS:
            if options.programs and program.name not in options.programs:
                continue
            if time.monotonic() > recorder.deadline:
                problems[program.name] = "out of time"
                continue
            recorder.begin(program.name)
            try:
                call(program)
            except Exception:  # noqa: BLE001 - the others are worth recording
                problems[program.name] = traceback.format_exc()
            kernels = sum(row.get("module") == program.name for row in recorder.kernels)
            failed = " FAILED" if program.name in problems else ""
            print(
                f"{time.monotonic() - began:6.1f} s  {program.name}: {kernels}{failed}", flush=True
            )
            torch.cuda.empty_cache()
    written = {
        "format": FORMAT,
        "script": "tests/gpu/record_builds.py",
        **properties(),
        "problems": problems,
        "kernels": recorder.kernels,
    }
    with lzma.open(options.output, "wt", encoding="utf-8") as file:
        json.dump(written, file, default=str)
    report(recorder.kernels)
    print(f"{len(problems)} programs failed; written to {options.output}")


def report(kernels: list[dict[str, Any]]) -> None:
    """Prints how much was recorded, and the slowest kernels."""
    slowest = [
        (statistics.median(config["times_ns"]), row["name"])
        for row in kernels
        for config in row.get("configs", ())
        if config["times_ns"]
    ]
    print(f"{len(kernels)} kernels, {len(slowest)} configurations timed")
    for taken_ns, name in sorted(slowest)[-3:]:
        print(f"  {taken_ns / 1e3:.1f} us  {name}")


if __name__ == "__main__":
    main()
