"""The binary tools that Triton's wheel brings: what a cubin needs, and its instructions."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget

from inspector.shared.kernel_build import Resources

_TIME_LIMIT_S = 120
_USAGE = re.compile(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
# A block of these GPUs loses 1 KiB of shared memory to the system (CUDA programming guide, 8.x on).
_RESERVED_FROM = 80
_RESERVED_BYTES = 1024


def resources_of(cubin: Path, log: str, metadata: dict[str, Any], capability: int) -> Resources:
    """Reads ``cuobjdump -res-usage``, the log of ``ptxas -v`` (spills) and Triton's metadata."""
    shown = _run("cuobjdump", "-res-usage", str(cubin))
    usage = _USAGE.search(shown)
    if usage is None:
        message = "cuobjdump does not report the resource usage of the binary"
        raise ValueError(message)
    registers, stack, shared, local = map(int, usage.groups())
    spills = _SPILLS.search(log)
    reserved = _RESERVED_BYTES if capability >= _RESERVED_FROM and shared >= _RESERVED_BYTES else 0
    return Resources(
        registers=registers,
        stack_bytes=max(stack, local),
        spill_store_bytes=int(spills[1]) if spills else None,
        spill_load_bytes=int(spills[2]) if spills else None,
        shared_bytes=int(metadata.get("shared") or 0),
        static_shared_bytes=shared - reserved,
    )


def sass_of(cubin: Path) -> str:
    """The instructions with the source lines that they come from, inlined calls included."""
    return _run("nvdisasm", "-c", "-gi", str(cubin))


def version_of_ptxas(capability: int) -> str:
    """Version of the ptxas that Triton takes for a capability, as ptxas says it."""
    from triton.backends.nvidia import compiler

    ptxas: Callable[[int], Any] = compiler.get_ptxas
    shown = subprocess.run(
        [ptxas(capability).path, "--version"], capture_output=True, text=True, check=True
    )
    found = re.search(r"release (\S+), V(\S+)", shown.stdout)
    return found[2] if found else shown.stdout.strip().rpartition("\n")[2]


def _run(tool: str, *arguments: str) -> str:
    path = os.fspath(Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / tool)
    with contextlib.suppress(AttributeError, RuntimeError):
        path = str(getattr(triton.knobs.nvidia, tool).path)
    done = subprocess.run(
        [path, *arguments], capture_output=True, text=True, check=False, timeout=_TIME_LIMIT_S
    )
    if done.returncode:
        message = f"{tool} failed: {done.stderr.strip()[:300] or done.returncode}"
        raise ValueError(message)
    return done.stdout


_BLOCK = re.compile(r"// begin inline asm.*?// end inline asm", re.DOTALL)
_PLACE = re.compile(r"^[ \t]*\.loc[^\n]*\n", re.MULTILINE)


def corrected(ptx: str) -> str:
    """PTX in which inline assembly belongs to the line that it begins in."""

    def without_later(match: re.Match[str]) -> str:
        block = match[0]
        places = list(_PLACE.finditer(block))
        for place in reversed(places[1:]):
            block = block[: place.start()] + block[place.end() :]
        return block

    return _BLOCK.sub(without_later, ptx)


@contextlib.contextmanager
def right_lines() -> Iterator[None]:
    """Hands corrected PTX to ptxas; what it compiles to is the same, but for the lines."""
    from triton.backends.nvidia.compiler import CUDABackend

    original = CUDABackend.make_cubin

    def make_cubin(self: Any, src: str, *args: Any, **kwargs: Any) -> Any:
        return original(self, corrected(src), *args, **kwargs)

    CUDABackend.make_cubin = make_cubin
    try:
        yield
    finally:
        CUDABackend.make_cubin = original


class AbsentDriver:
    """A Triton driver for a GPU that need not be there: it answers for the target alone."""

    def __init__(self, capability: int) -> None:
        target = GPUTarget("cuda", capability, 32)
        self.get_current_target = lambda: target
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda _device=0: 0
        self.is_active = lambda: True


def forget_driver(capability: int, folder: Path) -> None:
    """Makes Triton and Inductor compile for a GPU in this process, for good: nothing is put back.

    Their caches are in an empty folder: Inductor tries one configuration alone where its own
    autotune cache knows the best.
    """
    import torch
    import triton
    from torch._inductor.runtime import triton_helpers

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    os.environ.pop("TRITON_INTERPRET", None)
    # Heuristics ask them which configurations to try: on 2.11 and 2.13 a persistent reduction gets
    # one warp where CUDA is available, and eight where it is not.
    torch.cuda.is_available = lambda: True
    torch.xpu.is_available = lambda: False
    # Generated sources call it when they are imported, and so does every compilation.
    triton_helpers.set_driver_to_gpu = lambda: None
    triton.runtime.driver.set_active(AbsentDriver(capability))
    find_ptxas()


def find_ptxas() -> None:
    """Takes the ptxas that Inductor takes; registers depend on it.

    The CUDA builds of torch bring one, and Inductor takes it where it looks for it (2.11:
    ``torch/bin``; 2.13 looks elsewhere); otherwise it is the one in Triton's wheel.
    """
    from torch._inductor.runtime import compile_tasks

    compile_tasks._set_triton_ptxas_path()  # noqa: SLF001 - what the GPU's machine calls
