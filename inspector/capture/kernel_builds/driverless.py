"""A process in which Triton compiles for a GPU and never asks a driver."""

from __future__ import annotations

import os
from pathlib import Path

from triton.backends.compiler import GPUTarget


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
