"""``inspect bench``: eager PyTorch against the compiler's modes and backends."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import click

from inspector import plugins
from inspector.commands.bench_files import is_bench_file, write_bench_file
from inspector.commands.bench_plan import MODES, combinations_of, names_of
from inspector.commands.bench_progress import BenchProgress
from inspector.commands.bench_session import Bench, run_bench
from inspector.commands.completion import complete_file
from inspector.commands.options import output_options, process_options
from inspector.commands.output import check_output, check_place, write_report
from inspector.commands.precheck import check_file
from inspector.commands.record import Begun, finish, recording
from inspector.commands.target import existing, is_model, refuse_options, say_which
from inspector.errors import UsageError
from inspector.findings.bench_report import BenchReport, make_bench_report
from inspector.findings.rule import Rule
from inspector.model.bench import BenchPlan, WorkerEnd
from inspector.model.input_parser import parse_inputs
from inspector.model.request import Request
from inspector.sources.bench_file import read_plan, write_plan
from inspector.sources.recording import opened, read_run

__all__ = ["command"]

_EXIT_FAILED = 3
_UNASKED = ("train", "fullgraph", "grad", "cold_cache")
_SESSIONS = 3


@click.command("bench")
@click.argument("target", required=False, shell_complete=complete_file)
@click.option(
    "--modes", metavar="MODES",
    help="Modes of Inductor, with commas: default, reduce-overhead, max-autotune, "
    "max-autotune-no-cudagraphs; all or none of them.  [default: default,reduce-overhead]",
)  # fmt: skip
@click.option(
    "--backends", metavar="NAMES",
    help="Backends of torch.compile, with commas: aot_eager, cudagraphs, onnxrt, openxla, …",
)  # fmt: skip
@click.option(
    "--shapes", metavar="KINDS",
    help="torch.compile's dynamic, with commas: auto, dynamic, static.  [default: auto]",
)  # fmt: skip
@click.option("--fullgraph", is_flag=True, help="torch.compile's fullgraph.")
@click.option("--batch", metavar="SIZES", help="Batch sizes, with commas: 1,4,16.")
@click.option("--dtype", metavar="DTYPES", help="Floating-point dtypes, with commas: f32,bf16.")
@click.option("--autocast", metavar="DTYPES", help="torch.autocast, with commas: none,bf16,f16.")
@click.option("--tf32", metavar="on,off", help="Products of float32 in TF32, and not.")
@click.option("--train", is_flag=True, help="Forward, sum of the outputs as loss, backward.")
@click.option(
    "--optimizer", metavar="NAME",
    help="With --train: a step of torch.optim's NAME, too; compiled, and not.",
)  # fmt: skip
@click.option("--grad", is_flag=True, help="Call the model with gradients although nothing trains.")
@click.option(
    "--input", "inputs", multiple=True, metavar="SPEC",
    help="An input, in the order of the arguments or as NAME=SPEC: 'f32[8,3,224,224]'. Repeatable.",
)  # fmt: skip
@click.option("--device", metavar="DEVICE", help="Move model and inputs: cpu, cuda, cuda:1.")
@click.option(
    "--cold-cache", is_flag=True, help="Empty the cache of the device (L2) before each call."
)
@click.option(
    "--sessions", type=click.IntRange(1, 20), metavar="N",
    help="How often every process is begun anew: what differs between runs of a program shows "
    "between them alone.  [default: 3]",
)  # fmt: skip
@process_options
@output_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    target: str | None,
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - read by what makes the plan
) -> int:
    """Measure eager PyTorch against the compiler's modes and backends.

    TARGET is a model (model.py, model.py:name, package.module:name), or a recording of this command
    (a folder or .zip). Without a TARGET the newest recording is read. Every combination runs in
    processes of its own, which take turns. Calls are made under torch.no_grad() unless --train or
    --grad is there.

    \b
    Examples:
      inspect bench samples/small_cnn/model.py
      inspect bench model.py --modes all --batch 1,4,16 --dtype f32,bf16
      inspect bench model.py --backends aot_eager,cudagraphs
      inspect bench model.py --train --optimizer AdamW -o bench.md
      inspect bench -o bench.svg
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    is_file = is_bench_file(output)
    check_output(None if is_file else output, format_)
    if output is not None:
        check_place(output)
    given = {k: v for k, v in asked.items() if v not in {None, ()} and (v or k not in _UNASKED)}
    if target is not None and is_model(target):
        if python is None:
            check_file(target)
        process = _Process(python, timeout, save, progress=not no_progress)
        report, code = _measured(target, given, process)
    else:
        refuse_options({**given, "python": python, "timeout": timeout, "save": save})
        report, code = _read(target), 0
    if output is not None and is_file:
        write_bench_file(report, output)
        if format_ is None:
            return code
    write_report(report, None if is_file else output, format_)
    return code


@dataclasses.dataclass(frozen=True, slots=True)
class _Process:
    """How the processes are run.

    Attributes:
        python: The interpreter, or None for this one.
        timeout_seconds: How long one may take until it is ready, or None.
        save: Where the recording is kept, or None for the store.
        progress: Whether progress is shown.
    """

    python: str | None
    timeout_seconds: float | None
    save: Path | None
    progress: bool


def _measured(target: str, given: dict[str, Any], how: _Process) -> tuple[BenchReport, int]:
    parse_inputs(given.get("inputs", ()))
    if "optimizer" in given and "train" not in given:
        raise UsageError("--optimizer is a part of a training step.", "Add --train.")
    plan = BenchPlan(
        target=target,
        combinations=combinations_of(given),
        sessions=given.get("sessions", _SESSIONS),
        is_grad="grad" in given,
        cold_cache="cold_cache" in given,
    )
    request = Request(
        target,
        inputs=given.get("inputs", ()),
        device=given.get("device"),
        no_grad=not ("grad" in given or "train" in given),
        measure=False,
    )
    asked = {"bench": True, **{k: v for k, v in given.items() if k != "inputs"}}
    processes = len(plan.combinations) * plan.sessions + len(plan.workloads)
    progress = BenchProgress(enabled=how.progress, processes=processes)
    with recording(how.save, target, asked) as begun, tempfile.TemporaryDirectory(
        prefix="inspector-bench-", ignore_cleanup_errors=True
    ) as scratch:  # fmt: skip
        bench = Bench(
            plan=plan,
            request=request,
            folder=begun.path,
            scratch=Path(scratch),
            python=how.python,
            timeout_seconds=how.timeout_seconds,
            seed=0,
            left_out_on_cpu=frozenset() if names_of(given.get("modes")) else frozenset({MODES[1]}),
        )
        ends: list[WorkerEnd] = []
        interrupted = False
        try:
            ends.extend(run_bench(bench, progress))  # those that are there stay if it is cut off
        except KeyboardInterrupt:
            interrupted = True
        finally:
            progress.close()
        plan = dataclasses.replace(plan, ends=tuple(ends))
        report = _finished(begun, plan, how.save, interrupted=interrupted)
    return report, _exit_code(plan, interrupted=interrupted)


def _finished(
    begun: Begun, plan: BenchPlan, save: Path | None, *, interrupted: bool
) -> BenchReport:
    write_plan(begun.path, plan)
    meta = dataclasses.replace(
        begun.meta,
        partial="it was interrupted with Ctrl-C" if interrupted else "",
        ended="interrupted" if interrupted else "whole",
    )
    with opened(begun.path) as found:
        run = read_run(found)
        report = make_bench_report(plan, dataclasses.replace(run, meta=meta), _rules())
    finish(begun, report.run, save)
    return report


def _exit_code(plan: BenchPlan, *, interrupted: bool) -> int:
    if interrupted:
        return 130
    eager = {n for n, item in enumerate(plan.combinations) if item.setting.is_eager}
    failed = any(end.combination in eager and end.failure for end in plan.ends)
    return _EXIT_FAILED if failed else 0


def _read(target: str | None) -> BenchReport:
    with opened(existing(target)) as found:
        run = read_run(found)
        say_which(run, target)
        return make_bench_report(read_plan(found.folder), run, _rules())


def _rules() -> list[Rule]:
    return [module.RULE for module in plugins.load_analyses()]
