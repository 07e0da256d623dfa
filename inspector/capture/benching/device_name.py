"""What the device is called that the target is on."""

from __future__ import annotations

import torch

from inspector.capture.profiling.device import uses_cuda


def device_name() -> str:
    """``NVIDIA H200``, ``cpu``; to be asked after a first call."""
    if uses_cuda():
        return str(torch.cuda.get_device_name())
    return "cpu"
