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
from inspector.model.bench import BenchPlan, Setting, Workload
from inspector.model.request import Request
from inspector.sources.profile_within import PROFILE_FILE
from inspector.sources.recording import opened, read_run


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
    if row is None or not _is_plain(row.workload, row.setting, report.plan):
        return False
    setting = row.setting
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
    how = dataclasses.replace(settings, save=folder / PROFILE_FILE, doing=doing)
    with contextlib.suppress(InspectorError):  # the figures are there all the same
        if not recorded(asked, how).exit_code:
            return True
    (folder / PROFILE_FILE).unlink(missing_ok=True)  # half of one would say half of it
    return False


def _is_plain(workload: Workload, setting: Setting, plan: BenchPlan) -> bool:
    """Whether `inspect profile` does the same, and not for long."""
    return (
        workload == Workload(dtype=workload.dtype, train=workload.train)
        and not (plan.variations or plan.cold_cache)
        and not (setting.compiles_optimizer or setting.pads)
        # To try all of that once more takes minutes.
        and not (setting.mode or "").startswith("max-autotune")
    )


def read_profile(folder: Path) -> ProfileReport | None:
    """The profile in the recording of a bench, if one was made."""
    file = folder / PROFILE_FILE
    if not file.is_file():
        return None
    with contextlib.suppress(InspectorError, OSError), opened(file) as found:
        return make_profile_report(read_run(found))
    return None
