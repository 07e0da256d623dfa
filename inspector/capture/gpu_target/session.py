"""Captures for a GPU that is not there: everything that is patched, in one context manager."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from inspector.capture.gpu_target.accelerator import cuda_in_cpp
from inspector.capture.gpu_target.attention import attention_of
from inspector.capture.gpu_target.compiling import compiling_for
from inspector.capture.gpu_target.constants import constants_on_cpu
from inspector.capture.gpu_target.convolution import convolutions_of
from inspector.capture.gpu_target.device import answers_of
from inspector.capture.gpu_target.fakes import fakes_on_cuda
from inspector.capture.gpu_target.fallbacks import fallbacks_on_cpu, user_kernels_not_launched
from inspector.capture.gpu_target.measured import without_measuring
from inspector.capture.gpu_target.notes import Notes
from inspector.capture.gpu_target.traced_devices import traced_devices_on_cuda
from inspector.model.gpus import Gpu

# What torch 2.11.0+cu130 brings (nvidia-cudnn-cu13 9.19.0); the CPU build has none to ask.
_CUDNN = 91900
_FRAMES = 6


@contextmanager
def gpu_target(gpu: Gpu, say: Callable[[dict[str, object]], None]) -> Iterator[None]:
    """``torch.compile`` generates code for a GPU, inside of the ``with``; the CPU runs the program.

    Args:
        gpu: The GPU; the machine needs none.
        say: Is told after each graph what to write into the recording, inside of its compilation.

    Raises:
        EnvironmentLacksError: This torch or machine is none that this works with.
    """
    notes = Notes()

    def report(error: BaseException | None) -> None:
        found = notes.taken()
        said: dict[str, object] = {
            "v": 1, "gpu": gpu.key, "measured": found.measured, "attention": found.attention,
            "alternatives": found.alternatives, "missing": found.missing,
        }  # fmt: skip
        if error is not None:
            last = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
            said["error"] = f"{type(error).__name__}: {error}"[:2000]
            said["where"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in last]
        say(said)

    # The order matters: whether there is a GPU is asked before torch is told that there is.
    cudnn = _cudnn_version()
    with (
        cuda_in_cpp(),
        answers_of(gpu),
        fakes_on_cuda(),
        fallbacks_on_cpu(),
        traced_devices_on_cuda(),
        user_kernels_not_launched(),
        # The engine began its threads, if any, for the devices that there are.
        torch.autograd.set_multithreading_enabled(False),
        constants_on_cpu(),
        attention_of(gpu, cudnn, notes.choose),
        convolutions_of(gpu),
        without_measuring(notes),
        compiling_for(notes, report),
    ):
        yield


def _cudnn_version() -> int:
    version = torch.backends.cudnn.version() if torch.backends.cuda.is_built() else None
    return version or _CUDNN
