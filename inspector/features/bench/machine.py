"""What a bench was measured with, as a recording says it."""

from __future__ import annotations

from inspector.report.wording import count
from inspector.run.run import Run


def torch_of(run: Run) -> str:
    """The version of torch, or an empty string."""
    return next((p.versions["torch"] for p in run.processes if "torch" in p.versions), "")


def processor_of(run: Run) -> str:
    """The CPU's name, or an empty string."""
    found = (process.hardware.get("cpu") for process in run.processes)
    return next((str(name) for name in found if name), "")


def device_text(device: str, threads: int) -> str:
    """``NVIDIA H200``, ``cpu, 2 threads``; empty where no device is known."""
    return f"{device}, {count(threads, 'thread')}" if device == "cpu" else device
