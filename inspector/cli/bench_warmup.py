"""``inspect bench --warmup``: a service's start in three ways, and the plan to warm it up."""

import dataclasses
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.cli.bench_collection import is_collection
from inspector.cli.bench_measure import INTERRUPTED, BenchProcess
from inspector.cli.bench_plan import combinations_of, variations_of
from inspector.cli.ending import interruption
from inspector.cli.job import check_single_rank
from inspector.cli.output import check_output, write_file, write_report
from inspector.cli.progress import BenchProgress
from inspector.cli.record import Begun, finish, recording
from inspector.cli.target import check_target, existing, is_model, print_place
from inspector.cli.warmup_starts import Starts
from inspector.errors import ModelFailedError, RecordingError, UsageError
from inspector.features.bench.warmup_report import WarmupReport, make_warmup_report
from inspector.features.bench.warmup_script import render
from inspector.run.sources.recording import opened, read_run
from inspector.shared.input_parser import parse_inputs
from inspector.shared.warmup import ARTIFACT, INPUTS, WarmupPlan

_EXIT_STILL = 1
_SCRIPT = "warmup.py"
_STARTS = 5  # with eager PyTorch, and the check
_OWN = frozenset({"warmup", "save_warmup"})
_REFUSED = {"train": "--train", "optimizer": "--optimizer", "sessions": "--sessions"}


def is_warmup(targets: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Whether a warm-up is asked for, or the recording that is named has one."""
    if given.keys() & _OWN:
        return True
    if is_collection(targets) or any(map(is_model, targets)):
        return False
    with opened(existing(targets[0] if targets else None)) as found:
        return WarmupPlan.is_in(found.folder)


def warmup_command(
    targets: Sequence[str],
    given: Mapping[str, Any],
    how: BenchProcess,
    output: Path | None,
    format_: str | None,
) -> int:
    """Runs the command where a warm-up is asked for; 1 where something compiles after the plan."""
    check_output(output, format_)
    folder: Path | None = given.get("save_warmup")
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{folder} cannot be created ({error.strerror})."
            raise RecordingError(message, "Name another folder with --save-warmup.") from error
    if is_collection(targets):
        raise UsageError("--warmup takes one model.", "Name one.")
    target = targets[0] if targets else None
    others = {name: value for name, value in given.items() if name not in _OWN}
    check_target(target, how.python, {**others, **how.given})
    if is_model(target):
        plan = _plan_of(target, others)
        report, code = _warmed(target, plan, how, folder)
    else:
        report = _from_recording(target, folder)
        code = _checked(report.plan)
    write_report(report, output, format_)
    return code


def _plan_of(target: str, given: Mapping[str, Any]) -> WarmupPlan:
    check_single_rank("inspect bench --warmup")
    parse_inputs(given.get("inputs", ()))
    for name, option in _REFUSED.items():
        if name in given:
            message = f"{option} does not apply to --warmup."
            raise UsageError(message, f"Drop {option}.")
    # Of a bench these are lists of what is compared; a service has one of each.
    one = {"shapes": "auto", "modes": "none" if "backends" in given else "default", **given}
    combinations = [item for item in combinations_of(one) if not item.setting.is_eager]
    if len(combinations) != 1:
        message = f"--warmup takes one setting, not {len(combinations)}."
        step = "Pass one value for each option, and the sizes of inputs to --vary."
        raise UsageError(message, step)
    # A name of its own: with one cache folder, services would write over each other's profile.
    place = Path(target).absolute().as_posix().encode("utf-8", "surrogatepass")
    return WarmupPlan(
        target=target,
        setting=combinations[0].setting,
        workload=combinations[0].workload,
        job=f"warmup-{hashlib.sha256(place).hexdigest()[:12]}",
        is_grad="grad" in given,
        device=given.get("device"),
        texts=tuple(given.get("inputs", ())),
        variations=variations_of(given),
    )


def _warmed(
    target: str, plan: WarmupPlan, how: BenchProcess, folder: Path | None
) -> tuple[WarmupReport, int]:
    asked = {"warmup": True, "backend": plan.setting.backend}
    progress = BenchProgress(enabled=how.progress, processes=_STARTS, doing=how.doing)
    with recording(how.save, target, asked) as begun, tempfile.TemporaryDirectory(
        prefix="inspector-warmup-", ignore_cleanup_errors=True
    ) as name:  # fmt: skip
        scratch = Path(name)
        starts = Starts(begun.path, scratch, how.python, how.timeout_seconds, progress)
        partial = ""
        try:
            plan = starts.run(plan)
            report = _report(begun, plan, "")
            if report.plan.loading is not None and report.start("cold") is not None:
                place = folder or scratch / "warmup"
                _write_files(report, begun.path, place)
                plan = dataclasses.replace(plan, check=starts.check(place / _SCRIPT))
        except KeyboardInterrupt as error:
            partial = interruption(error)
        finally:
            progress.close()
        plan.write(begun.path)
        report = _report(begun, plan, partial)
    if folder is not None and plan.check is not None:
        _say_files(folder)
    finish(begun, report.run, how.save)
    return report, INTERRUPTED if partial else _exit_code(plan)


def _write_files(report: WarmupReport, kept: Path, folder: Path) -> None:
    """Writes ``warmup.py``, and copies the inputs and the artifact out of the recording."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    write_file(folder / _SCRIPT, lambda stream: render(report, place, stream))
    for name in (ARTIFACT, INPUTS):
        (folder / name).unlink(missing_ok=True)  # of an earlier run
        try:
            if (kept / name).exists():
                shutil.copyfile(kept / name, folder / name)
        except OSError as error:
            message = f"{folder / name} cannot be written ({error.strerror})."
            raise RecordingError(message, "Name another folder with --save-warmup.") from error


def _say_files(folder: Path) -> None:
    names = [name for name in (_SCRIPT, ARTIFACT, INPUTS) if (folder / name).exists()]
    sys.stderr.write(f"wrote {', '.join(names)} to {folder}\n")


def _report(begun: Begun, plan: WarmupPlan, partial: str) -> WarmupReport:
    with opened(begun.path) as found:
        run = dataclasses.replace(read_run(found), meta=begun.ended(partial))
    return make_warmup_report(plan, run)


def _exit_code(plan: WarmupPlan) -> int:
    if any(end.start in {"eager", "cold"} and end.failure for end in plan.ends):
        return ModelFailedError.exit_code
    return _checked(plan)


def _checked(plan: WarmupPlan) -> int:
    return 0 if plan.check is None or plan.check.is_passed else _EXIT_STILL


def _from_recording(target: str | None, folder: Path | None) -> WarmupReport:
    with opened(existing(target)) as found:
        if not WarmupPlan.is_in(found.folder):
            message = "This recording contains no warm-up measurements."
            raise UsageError(message, "Record one with: inspect bench model.py --warmup")
        run = read_run(found)
        print_place(run, target)
        report = make_warmup_report(WarmupPlan.read(found.folder), run)
        if folder is not None and (report.plan.loading is None or report.start("cold") is None):
            message = "This recording has no warm-up plan because its cold start did not finish."
            raise UsageError(message, "Record one with: inspect bench model.py --warmup")
        if folder is not None:
            _write_files(report, found.folder, folder)
            _say_files(folder)
    return report
