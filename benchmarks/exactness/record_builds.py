"""Records what a GPU's own `CachingAutotuner` says of its kernels: registers, spills, times.

    python benchmarks/exactness/record_builds.py -o h200_builds.json.xz

Every Triton kernel of `build_modules.PROGRAMS` is written down once with its source, and for each
configuration that was tried with what its launcher reports and with how long it took (some launches
with a cold L2 cache, from the profiler, in ns). What fails is recorded as such.
Needs torch with CUDA and its Triton alone; takes about two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="record_builds_")

import torch
import torch._inductor.config
import triton
from build_modules import PROGRAMS, Program
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
        self._flushed: torch.Tensor | None = None

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Watches `CachingAutotuner.run`."""
        run = CachingAutotuner.run

        @functools.wraps(run)
        def watched(autotuner: Any, *args: Any, **kwargs: Any) -> Any:
            self.record(autotuner, args, kwargs)
            return run(autotuner, *args, **kwargs)

        with mock.patch.object(CachingAutotuner, "run", watched):
            yield

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
            self.kernels.append({"module": self.module, "error": traceback.format_exc()})

    def _row(
        self, autotuner: Any, source: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        name = str(autotuner.inductor_meta.get("kernel_name") or autotuner.fn.__name__)
        times = self._times(autotuner, args, kwargs)
        configs = [
            {
                "kwargs": dict(launcher.config.kwargs),
                "num_warps": launcher.config.num_warps,
                "num_stages": launcher.config.num_stages,
                "n_regs": launcher.n_regs,
                "n_spills": launcher.n_spills,
                "shared": launcher.shared,
                "times_ns": taken,
            }
            for launcher, taken in zip(autotuner.launchers, times, strict=True)
        ]
        return {
            "module": self.module,
            "name": name,
            "function": autotuner.fn.__name__,
            "source": source,
            "arguments": [item if isinstance(item, int) else str(type(item)) for item in args],
            "configs": configs,
        }

    def _times(
        self, autotuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> list[list[int] | None]:
        """Times of each launcher; None where there are none."""
        launchers = autotuner.launchers
        none: list[list[int] | None] = [None] * len(launchers)
        if time.monotonic() > self.deadline:
            return none
        timed = launchers[:MOST_TIMED_CONFIGS]
        with contextlib.suppress(Exception):  # registers are worth keeping without times
            measured = self._profiled(autotuner, timed, args, kwargs)
            return none if measured is None else [*measured, *none[len(timed) :]]
        return none

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
            recorder.module = program.name
            try:
                call(program)
            except Exception:  # noqa: BLE001 - the others are worth recording
                problems[program.name] = traceback.format_exc()
            print(f"{time.monotonic() - began:6.1f} s  {program.name}", flush=True)
            torch.cuda.empty_cache()
    written = {
        "format": FORMAT,
        "script": "benchmarks/exactness/record_builds.py",
        **properties(),
        "problems": problems,
        "kernels": recorder.kernels,
    }
    with lzma.open(options.output, "wt", encoding="utf-8") as file:
        json.dump(written, file, default=str)
    number = len(recorder.kernels)
    print(f"{number} kernels, {len(problems)} programs failed; written to {options.output}")


if __name__ == "__main__":
    main()
