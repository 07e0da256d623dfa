"""Measures one model for `inspect bench`, and makes a recording of it."""

import contextlib
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

from inspector import plugins
from inspector.cli.bench_plan import MODES, names_of, plan_of
from inspector.cli.bench_session import run_bench
from inspector.cli.bench_workers import Bench
from inspector.cli.ending import interruption
from inspector.cli.progress import BenchProgress
from inspector.cli.record import Begun, finish, recording
from inspector.cli.target import recorded
from inspector.errors import InspectorError, ModelFailedError
from inspector.features.bench.report import BenchReport, make_bench_report
from inspector.features.profile.report import make_profile_report
from inspector.run.run import Run
from inspector.run.sources.child import Settings
from inspector.run.sources.recording import PROFILE_FILE, opened, read_run
from inspector.shared.bench import BenchPlan, Setting, WorkerEnd, Workload
from inspector.shared.request import Request

_LEAST_EXPLAINED_SECONDS = 1.0  # to time less is a quick look, and a profile takes longer
INTERRUPTED = 130  # 128 + SIGINT, as shells report it


@dataclasses.dataclass(frozen=True, slots=True)
class BenchProcess:
    """How the processes are run."""

    python: str | None
    timeout_seconds: float | None  # until one is ready; else limit_seconds
    save: Path | None  # None for the store
    progress: bool
    limit_seconds: float = 3600.0
    doing: str = ""
    explains: bool = False  # by a profile, where nothing is faster

    @property
    def given(self) -> dict[str, object]:
        """The options that it comes from, by name, as far as they are about running anything."""
        return {"python": self.python, "timeout": self.timeout_seconds, "save": self.save}


def measured(target: str, given: dict[str, Any], how: BenchProcess) -> tuple[BenchReport, int]:
    """Measures a model."""
    plan = plan_of(target, given)
    request = Request(
        target,
        inputs=given.get("inputs", ()),
        device=given.get("device"),
        no_grad=not ("grad" in given or "train" in given),
        measure=False,
        command="bench",
    )
    processes = len(plan.combinations) * plan.sessions + len(plan.workloads)
    progress = BenchProgress(enabled=how.progress, processes=processes, doing=how.doing)
    asked = {"bench": True, **given}
    with recording(how.save, target, asked) as begun, tempfile.TemporaryDirectory(
        prefix="inspector-bench-", ignore_cleanup_errors=True
    ) as scratch:  # fmt: skip
        bench = Bench(
            plan=plan,
            request=request,
            folder=begun.path,
            scratch=Path(scratch),
            python=how.python,
            ready_seconds=how.timeout_seconds or how.limit_seconds,
            left_out_on_cpu=frozenset() if names_of(given.get("modes")) else frozenset({MODES[1]}),
        )
        ends: list[WorkerEnd] = []
        partial = ""
        try:
            ends.extend(run_bench(bench, progress))  # those that are there stay if it is cut off
        except KeyboardInterrupt as error:
            partial = interruption(error)
        finally:
            progress.close()
        plan = dataclasses.replace(plan, ends=tuple(ends))
        plan.write(begun.path)
        with opened(begun.path) as found:
            run = dataclasses.replace(read_run(found), meta=begun.ended(partial))
            report = bench_report(found.folder, plan, run)
        if how.explains and not partial:
            report, partial = _explained(report, request, begun, how)
    # What cannot be packed into a .zip stays where it is, so that it is outside.
    finish(begun, report.run, how.save)
    return report, INTERRUPTED if partial else exit_code(report)


def _explained(
    report: BenchReport, request: Request, begun: Begun, how: BenchProcess
) -> tuple[BenchReport, str]:
    """The report, with a profile where nothing is faster; and what cut that off, if anything."""
    try:
        if _profile_nearest(report, request, begun.path, how):
            with opened(begun.path) as found:
                return bench_report(found.folder, report.plan, report.run), ""
    except KeyboardInterrupt as error:
        return report, interruption(error)
    except (InspectorError, OSError):
        pass
    return report, ""


def exit_code(report: BenchReport) -> int:
    """Not 0 where eager PyTorch failed, or nothing could be measured beside it."""
    failed = any(row.failure for row in report.rows if row.setting.is_eager)
    others = [row.latency for row in report.rows if not row.setting.is_eager]
    failed |= bool(others) and not any(others)
    return ModelFailedError.exit_code if failed else 0


def bench_report(folder: Path, plan: BenchPlan, run: Run) -> BenchReport:
    """What is said about a recording, with the profile in it, if there is one."""
    file, profile = folder / PROFILE_FILE, None
    if file.is_file():
        with contextlib.suppress(InspectorError, OSError), opened(file) as found:
            profile = make_profile_report(read_run(found))
    return make_bench_report(plan, run, plugins.load_rules("run"), profile)


def _profile_nearest(
    report: BenchReport, request: Request, folder: Path, how: BenchProcess
) -> bool:
    """Profiles what comes nearest to eager PyTorch, where nothing is faster; whether it did."""
    row = next((group.choice.nearest for group in report.groups if group.choice.nearest), None)
    if row is None or row.faster is None or row.faster.is_inconclusive:  # noise
        return False
    if report.plan.session_seconds < _LEAST_EXPLAINED_SECONDS:
        return False
    if not _is_plain(row.workload, row.setting, report.plan):
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
        seconds=report.plan.session_seconds,
    )
    settings = Settings(
        python=how.python,
        timeout_seconds=how.timeout_seconds,
        save=folder / PROFILE_FILE,
        progress=how.progress,
        own_stdout=False,
        fresh_caches=True,
        silent=True,
        doing=f"nothing is faster: profiling {setting.label}",
    )
    with contextlib.suppress(InspectorError):  # the figures are there all the same
        if not recorded(asked, settings).exit_code:
            return True
    (folder / PROFILE_FILE).unlink(missing_ok=True)  # half of one would say half of it
    return False


def _is_plain(workload: Workload, setting: Setting, plan: BenchPlan) -> bool:
    """Whether `inspect profile` does the same, and not for long."""
    return (
        workload == Workload(dtype=workload.dtype, train=workload.train)
        and not (plan.variations or setting.compiles_optimizer)
        # To try all of that once more takes minutes.
        and not (setting.mode or "").startswith("max-autotune")
    )
