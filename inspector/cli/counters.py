"""Runs a target under Nsight Compute, once more, for the hardware counters of a call."""

import dataclasses
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inspector.cli.job import world_size
from inspector.cli.record import record_request
from inspector.errors import InspectorError
from inspector.features.profile.nsight_compute import (
    METRICS,
    counted_kernels,
    forbidden,
    no_kernels,
    write_counters,
)
from inspector.records.device_profile import CountedKernel
from inspector.run.sources.child import Settings
from inspector.run.sources.recording import opened, write_zip
from inspector.shared.request import Request


def count_kernels(request: Request, settings: Settings, place: Path) -> str:
    """Counts what each kernel of a warm call does, and writes it into a recording.

    Kernels run several times over, one at a time: nothing is timed there. Clocks and caches are
    left as they are, as in the program's own calls.

    Returns:
        Why there are no counters, in one sentence without a full stop; or an empty string.
    """
    ncu = shutil.which("ncu")
    if ncu is None and shutil.which("nvidia-smi") is None:
        return "hardware counters need an NVIDIA GPU, and this machine has none"
    if ncu is None:
        return "Nsight Compute (ncu) is not on the PATH; `inspect doctor` shows how to install it"
    if world_size() > 1:
        return "Nsight Compute reruns each kernel, and one that waits for other ranks would hang"
    with tempfile.TemporaryDirectory(prefix="inspector-ncu-") as folder:
        kernels, notice = _counted(ncu, request, settings, Path(folder))
    if kernels:
        try:
            add_counters(place, kernels)
        except OSError as error:
            return f"the counters could not be written: {error.strerror}"
    return notice


def add_counters(place: Path, kernels: Sequence[CountedKernel]) -> None:
    """Adds them to a recording, a folder or a ``.zip``."""
    with opened(place) as recording:
        write_counters(recording.folder, kernels)
        if place.is_file():
            write_zip(recording.folder, place)


def _counted(
    ncu: str, request: Request, settings: Settings, folder: Path
) -> tuple[list[CountedKernel], str]:
    """Runs the target once: the kernels, and why some are missing."""
    log = folder / "ncu.csv"
    # Nsight Compute 2025.3 dies of a segmentation fault of its own (exit code 139) now and then
    # where it is connected to the processes in which Inductor compiles, too.
    prefix = (
        ncu, "--profile-from-start", "off", "--clock-control", "none",
        "--cache-control", "none", "--csv", "--page", "raw",
        "--target-processes", "application-only",
        "--metrics", ",".join(METRICS), "--log-file", str(log),
    )  # fmt: skip
    asked = dataclasses.replace(request, counters=True)
    how = dataclasses.replace(
        settings, save=folder / "recording", prefix=prefix, silent=True, doing="counting"
    )
    try:
        meta = record_request(asked, how).run.meta
        failed = meta.error or meta.partial
    except InspectorError as error:
        failed = str(error)
    text = log.read_text("utf-8", errors="replace") if log.exists() else ""
    kernels = counted_kernels(text)
    if failed:
        reason = f"the run under Nsight Compute failed: {failed.rstrip('.')}"
        return kernels, forbidden(text) or reason
    return kernels, forbidden(text) if kernels else no_kernels(text)
