"""Measures one model for `inspect bench`, and makes a recording of it."""

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
from inspector.cli.record import finish, recording
from inspector.errors import ModelFailedError
from inspector.features.bench.report import BenchReport, make_bench_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.shared.bench import BenchPlan, WorkerEnd
from inspector.shared.request import Request

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
            report = bench_report(plan, run)
    # What cannot be packed into a .zip stays where it is, so that it is outside.
    finish(begun, report.run, how.save)
    return report, INTERRUPTED if partial else exit_code(report)


def exit_code(report: BenchReport) -> int:
    """Not 0 where eager PyTorch failed, or nothing could be measured beside it."""
    failed = any(row.failure for row in report.rows if row.setting.is_eager)
    others = [row.latency for row in report.rows if not row.setting.is_eager]
    failed |= bool(others) and not any(others)
    return ModelFailedError.exit_code if failed else 0


def bench_report(plan: BenchPlan, run: Run) -> BenchReport:
    """What is said about a recording."""
    return make_bench_report(plan, run, plugins.load_rules("run"))
