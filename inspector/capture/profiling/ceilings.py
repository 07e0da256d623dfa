"""What the machine at hand can do, measured: memory, caches, multiplications, launches.

Never a table of names: data sheets say what a chip could do, and drivers, clocks, power limits and
neighbours decide what it does. A process of its own measures it (`machine`): in the one that is
profiled, torch's settings, its allocator, its threads and CUPTI are the program's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from inspector.capture.profiling.device import uses_cuda
from inspector.capture.profiling.machine.cache import (
    CPU_NAMES,
    GPU_NAMES,
    cache_file,
    cached,
    store,
)
from inspector.capture.profiling.machine.cpu import processors
from inspector.capture.profiling.machine.device_state import device_state
from inspector.records.ceilings import Ceilings

_SECONDS = 90
_LONGEST = 160
# What the user set for the program, and what would be measured with it. What says where threads
# and memory lie (OMP_PROC_BIND, CUDA_VISIBLE_DEVICES) stays.
_UNWANTED = (
    "CUBLAS", "CUDA_LAUNCH_BLOCKING", "CUDNN", "INSPECTOR_", "KINETO", "MKL_VERBOSE",
    "NVIDIA_TF32_OVERRIDE", "ONEDNN_", "DNNL_", "PYTHONSTARTUP", "PYTORCH_", "TORCH",
)  # fmt: skip


def ceilings(*, fresh: bool = False) -> Ceilings:
    """What the machine can do; measured once for a device, its driver and torch.

    What was measured before, if that was whole, is kept for 30 days, or for an hour where some of
    it was not stable, or for five minutes where others were at work. What could not be measured is
    there with the reason.
    """
    before = None if fresh else cached_ceilings()
    if before is not None:
        return before
    is_cuda = uses_cuda()
    found, is_whole = _measured(is_cuda=is_cuda)
    if is_whole:
        store(cache_file(list(_key(is_cuda=is_cuda))), found)
    return found


def cached_ceilings() -> Ceilings | None:
    """What was measured before; None where nothing is kept, or it is too old."""
    return cached(cache_file(list(_key(is_cuda=uses_cuda()))))


def current_uuid() -> str:
    """The uuid of the current GPU without a prefix; empty where torch does not say it."""
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    return str(getattr(found, "uuid", "") or "")


def _key(*, is_cuda: bool) -> Iterator[str]:
    yield torch.__version__
    if is_cuda:
        found = torch.cuda.get_device_properties(torch.cuda.current_device())
        state, _ = device_state(current_uuid())
        yield from (found.name, current_uuid(), str(found.multi_processor_count))
        yield str(torch.version.cuda)
        yield from (state.get(name, "") for name in ("driver_version", "power.limit"))
    else:
        yield from ("cpu", os.uname().nodename, os.uname().machine)
        yield from (str(torch.get_num_threads()), str(processors()), _processor())


def _processor() -> str:
    """The processor's name as Linux has it; a host's name can move to another machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith("model name")), "")


def _measured(*, is_cuda: bool) -> tuple[Ceilings, bool]:
    """What was found, and whether another try would give no more of it."""
    names = GPU_NAMES if is_cuda else CPU_NAMES
    request: dict[str, object] = {"device": "cpu", "threads": torch.get_num_threads()}
    if is_cuda:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()  # what nobody uses is free for the other process
        index = torch.cuda.current_device()
        request = {"device": "cuda", "index": index, "uuid": current_uuid()}
    at_s = int(time.time())
    # The program may have changed its path before it found torch.
    lines, failure = _answers({**request, "path": str(Path(torch.__file__).parent.parent)})
    found = {str(line["name"]): line for line in lines if "value" in line}
    missing = {str(line["name"]): line for line in lines if "missing" in line}
    last: Mapping[str, Any] = next((line for line in lines if "facts" in line), {})
    failure = failure or next((str(line["failed"]) for line in lines if "failed" in line), "")
    reasons = {
        name: str(missing[name]["missing"]) if name in missing else failure or "it was not measured"
        for name in names
        if name not in found
    }
    measured = {name: found[name] for name in names if name in found}
    made = Ceilings(
        device=torch.cuda.get_device_name() if is_cuda else "cpu",
        measured_at_s=at_s,
        took_ns=last.get("took_ns", 0),
        values={name: each["value"] for name, each in measured.items()},
        unstable={name: each["spread"] for name, each in measured.items() if not each["stable"]},
        missing=reasons,
        state=last.get("state", {}),
        state_missing=last.get("state_missing", ""),
        facts=last.get("facts", {}),
    )
    is_whole = bool(last) and all(
        name in missing and bool(missing[name]["lasting"]) for name in reasons
    )
    return made, is_whole


def _answers(request: Mapping[str, object]) -> tuple[list[dict[str, Any]], str]:
    """What the process said, and why that is not all, or an empty string."""
    command = [sys.executable, str(Path(__file__).parent / "machine" / "__main__.py")]
    failure = ""
    try:
        wanted = {name: text for name, text in os.environ.items() if not name.startswith(_UNWANTED)}
        done = subprocess.run(
            command, input=json.dumps(request).encode(), capture_output=True, check=False,
            timeout=_SECONDS, env={**wanted, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        )  # fmt: skip
        said, errors = done.stdout, done.stderr.decode("utf-8", "replace").strip().splitlines()
        if done.returncode:
            last = f": {errors[-1][:_LONGEST]}" if errors else ""
            failure = f"the measuring process exited with code {done.returncode}{last}"
    except subprocess.TimeoutExpired as error:
        said, failure = error.stdout or b"", f"it took longer than {_SECONDS} s"
    except OSError as error:
        said, failure = b"", f"no new process could be started ({error.strerror})"
    return list(_lines(said)), failure


def _lines(said: bytes) -> Iterator[dict[str, Any]]:
    for line in said.splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # the last one, cut off
            return
