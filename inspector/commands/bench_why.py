"""Where nothing is faster than eager PyTorch a profile, made besides, says where time goes."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

from inspector.commands.record import Settings
from inspector.commands.target import recorded
from inspector.errors import InspectorError
from inspector.findings.bench_report import BenchReport
from inspector.findings.profile_report import ProfileReport, make_profile_report
from inspector.model.bench import Workload
from inspector.model.request import Request
from inspector.sources.recording import opened, read_run

__all__ = ["profile_of_nothing_faster", "read_profile"]

_FILE = "profile.zip"


def profile_of_nothing_faster(
    report: BenchReport, request: Request, folder: Path, settings: Settings
) -> bool:
    """Profiles what comes nearest to eager PyTorch, where nothing is faster.

    Args:
        report: What was measured.
        request: The target, its inputs, and what all combinations have in common.
        folder: The recording of the bench; the profile's recording is put into it.
        settings: How it is recorded; where it is kept, and what is said meanwhile, is decided here.

    Returns:
        Whether there is a profile now.
    """
    row = next((group.choice.nearest for group in report.groups if group.choice.nearest), None)
    if row is None or report.plan.variations or not _is_plain(row.workload):
        return False
    setting = row.setting
    if setting.compiles_optimizer or setting.pads:
        return False
    asked = dataclasses.replace(
        request,
        dtype=row.workload.dtype,
        train=row.workload.train,
        backend=setting.backend,
        mode=setting.mode,
        dynamic=setting.dynamic,
        fullgraph=setting.fullgraph,
        graphs=True,
        profile=True,
    )
    doing = f"nothing is faster: profiles {setting.label}"
    how = dataclasses.replace(settings, save=folder / _FILE, doing=doing)
    with contextlib.suppress(InspectorError):  # the figures are there all the same
        return not recorded(asked, how).exit_code
    return False


def _is_plain(workload: Workload) -> bool:
    """Whether `inspect profile` can do the same."""
    return workload == Workload(dtype=workload.dtype, train=workload.train)


def read_profile(folder: Path) -> ProfileReport | None:
    """The profile in the recording of a bench, if one was made."""
    file = folder / _FILE
    if not file.is_file():
        return None
    with contextlib.suppress(InspectorError, OSError), opened(file) as found:
        return make_profile_report(read_run(found))
    return None
