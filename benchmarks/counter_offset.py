"""By how much Nsight Compute's times of a kernel are longer than CUPTI's, whatever it computes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from inspector.features.profile.nsight_compute import counted_kernels  # noqa: E402 - the path is set

__all__ = ["TIME", "offsets"]

TIME = "gpu__time_duration.sum"
# The sizes of the tensors that are copied to learn what Nsight Compute adds, in elements.
PROBED = tuple(1 << power for power in range(18, 26))
PROBE = """
import sys, torch
tensors = [torch.randn(size, device="cuda") for size in %s]
targets = [torch.empty_like(tensor) for tensor in tensors]
def call():
    for source, target in zip(tensors, targets):
        for _ in range(9):
            torch.add(source, 1.0, out=target)
    torch.cuda.synchronize()
for _ in range(5):
    call()
if sys.argv[1] == "ncu":
    torch.cuda.profiler.start()
    call()
    torch.cuda.profiler.stop()
else:
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call()
    print(*[event.device_time_total * 1e3 for event in seen.events()
            if event.device_type.name == "CUDA" and "elementwise" in event.name])
"""


def offsets() -> tuple[list[float], list[float]]:
    """By how many ns Nsight Compute's times of the probe's kernels are longer, of each size.

    Longer than one behind the other, and than where each is waited for.
    """
    script = PROBE % (PROBED,)
    plain, waited = (
        subprocess.run(
            [sys.executable, "-c", script, "cupti"], capture_output=True, text=True, check=True,
            env={**os.environ, "CUDA_LAUNCH_BLOCKING": blocks},
        ).stdout
        for blocks in "01"
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        subprocess.run(
            ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--cache-control",
             "none", "--csv", "--page", "raw", "--metrics", TIME, "--log-file", str(log),
             sys.executable, "-c", script, "ncu"],
            capture_output=True, check=True,
        )  # fmt: skip
        counted = [kernel.values[TIME] for kernel in counted_kernels(log.read_text("utf-8"))]
    there = medians(counted)
    behind, alone = (
        [
            longer - shorter
            for shorter, longer in zip(medians([*map(float, text.split())]), there, strict=True)
        ]
        for text in (plain, waited)
    )
    return behind, alone


def medians(times: list[float]) -> list[float]:
    """The median of each size's."""
    number = len(times) // len(PROBED)
    return [
        statistics.median(times[place * number : (place + 1) * number])
        for place in range(len(PROBED))
    ]
