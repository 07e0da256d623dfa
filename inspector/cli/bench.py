"""``inspect bench``: eager PyTorch against the compiler's modes and backends."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.cli.bench_collection import collection_of, is_collection
from inspector.cli.bench_measure import BenchProcess, bench_report, measured
from inspector.cli.bench_warmup import is_warmup, warmup_command
from inspector.cli.gate import EXIT_FINDINGS
from inspector.cli.grouped import Command
from inspector.cli.options import option_help, output_options, process_options
from inspector.cli.output import check_output, write_report
from inspector.cli.target import check_target, existing, is_model, print_place
from inspector.errors import UsageError
from inspector.features.bench.collection_report import CollectionReport
from inspector.features.bench.gate import BENCH_GATES, bench_gate
from inspector.features.bench.report import BenchReport
from inspector.report.fail_on import parse_fail_on
from inspector.run.sources.recording import opened, read_run
from inspector.shared.bench import BenchPlan


@click.command("bench", cls=Command)
@click.argument("targets", nargs=-1, metavar="[TARGET]...", type=click.Path())
@click.option(
    "--modes", metavar="MODES",
    help="Measure these modes (default,reduce-overhead if omitted). Other values: max-autotune, "
    "max-autotune-no-cudagraphs, lite, all, none.",
)  # fmt: skip
@click.option(
    "--backends", metavar="NAMES",
    help="Measure these backends: aot_eager,cudagraphs, …",
)  # fmt: skip
@click.option(
    "--vary", multiple=True, metavar="PLACE=VALUES",
    help="Vary an input: 'x[0]=1,2,4', 'n=1,2', 'x=f32,bf16'. 'ids[1],mask[1]=16,32' varies "
    "two sizes together; repeat the option to combine variations.",
)  # fmt: skip
@click.option(
    "--shapes", metavar="KINDS",
    help="Set torch.compile's dynamic argument: auto,dynamic,static. With --vary, all of them are "
    "measured by default.",
)  # fmt: skip
@click.option("--fullgraph", is_flag=True, help="Compile with fullgraph=True.")
@click.option("--batch", metavar="SIZES", help="Measure these batch sizes: 1,4,16.")
@click.option("--dtype", metavar="DTYPES", help="Measure these floating-point dtypes: f32,bf16.")
@click.option("--autocast", metavar="DTYPES", help="Measure these autocast dtypes: none,bf16.")
@click.option("--tf32", metavar="on,off", help="Allow or forbid TF32 in float32 matmuls.")
@click.option(
    "--train",
    is_flag=True,
    help="Measure a training step: forward, loss (sum of the outputs), backward.",
)
@click.option(
    "--optimizer", metavar="NAME",
    help="With --train: add a step of this torch.optim class, both compiled and eager.",
)  # fmt: skip
@click.option("--grad", is_flag=True, help="Run with gradients enabled (no torch.no_grad()).")
@click.option(
    "--input", "inputs", multiple=True, metavar="SPEC",
    help="Describe an input: 'f32[8,3,224]'. Repeat it in argument order, or name the argument: "
    "NAME=SPEC.",
)  # fmt: skip
@click.option(
    "--device",
    metavar="DEVICE",
    help="Move the model and inputs to this device: cpu, cuda, cuda:1.",
)
@click.option(
    "--sessions", type=click.IntRange(1, 20), metavar="N",
    help="Run this many processes per setting; most noise is between processes.  [default: 3]",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0.1, 3600), metavar="S",
    help="Time calls for this long in each process.  [default: 12]",
)  # fmt: skip
@click.option(
    "--fail-on", multiple=True, metavar="NAME",
    help="Exit with 1 on these results: wrong,slower. Also exit with 1 if a setting could not be "
    "measured.",
)  # fmt: skip
@click.option(
    "--warmup", is_flag=True,
    help="Measure service startup with cold and warm caches. Find the inputs to call at startup "
    "so that nothing compiles later.",
)  # fmt: skip
@click.option(
    "--save-warmup", metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
    help="With --warmup: write warmup.py and its files to DIR.",
)  # fmt: skip
@process_options
@output_options
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    targets: tuple[str, ...],
    output: Path | None,
    format_: str | None,
    python: str | None,
    timeout: float | None,
    save: Path | None,
    *,
    no_progress: bool,
    **asked: Any,  # noqa: ANN401 - read by what makes the plan
) -> int:
    """Compare torch.compile's modes and backends with eager, and pick the best.

    TARGET is a model (model.py, model.py:name, package.module:name), several models or a folder of
    them, or a recording made by this command. Separate multiple values of an option with commas.

    \b
    Examples:
      inspect bench samples/small_cnn/model.py
      inspect bench samples/small_cnn/model.py --modes all --batch 1,4,16 --dtype f32,bf16
      inspect bench samples/small_cnn/model.py --train --optimizer AdamW -o monday.json
      inspect bench samples/small_cnn/model.py --vary 'x[0]=1,2,4,8'
      inspect bench samples/ --modes default -o table.md
      inspect bench samples/small_cnn/model.py --warmup --vary 'x[0]=1,2,4' --save-warmup warmup/
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    kind = "bench-collection" if is_collection(targets) else "bench"
    given = {name: value for name, value in asked.items() if value not in {None, (), False}}
    process = BenchProcess(python, timeout, save, progress=not no_progress)
    fails_on = parse_fail_on(given.pop("fail_on", ()), list(BENCH_GATES))
    if is_warmup(targets, given):
        if fails_on:
            raise UsageError("--fail-on does not apply to --warmup.", "Use one of them.")
        return warmup_command(targets, given, process, output, format_)
    check_output(output, format_, kind)
    report, code = _report(targets, given, process)
    write_report(report, output, format_, kind)
    gate = _gate(report, fails_on) if fails_on else 0
    return code or gate


option_help(
    command,
    output="Write a report (.json, .md, .txt) or a table (.csv).",
    timeout="Stop a process that is not ready after this time.  [default: 3600; 900 with several "
    "models]",
)


def _gate(report: BenchReport | CollectionReport, asked: tuple[str, ...]) -> int:
    if isinstance(report, BenchReport):
        models = [("", report.rows)]
    else:
        models = [(model.name, model.rows) for model in report.models]
    passed, verdict = bench_gate(models, asked)
    sys.stderr.write(f"gate: {verdict}\n")
    return 0 if passed else EXIT_FINDINGS


def _report(
    targets: Sequence[str], given: dict[str, Any], process: BenchProcess
) -> tuple[BenchReport | CollectionReport, int]:
    if is_collection(targets):
        return collection_of(targets, given, process)
    target = targets[0] if targets else None
    check_target(target, process.python, {**given, **process.given})
    if is_model(target):
        return measured(target, given, process)
    with opened(existing(target)) as found:
        run = read_run(found)
        print_place(run, target)
        return bench_report(BenchPlan.read(found.folder), run), 0
