"""``inspect ranks``: where the ranks of a job compile different things, and who waits for whom."""

import dataclasses

import click

from inspector.cli.grouped import Command
from inspector.cli.recording_options import Asked, recording_options
from inspector.features.ranks.report import make_ranks_report
from inspector.plugins import load_rules
from inspector.report.command_line import command_about


@click.command("ranks", cls=Command)
@click.argument("target", required=False)
@recording_options
def command(target: str | None, asked: Asked) -> int:
    """Show where the ranks of a job differ in what they compile, and which ranks wait.

    TARGET is a folder of TORCH_TRACE logs, one per rank, or a recording of `inspect run` under
    torchrun. Ranks that agree share one line. Waits are estimates: how much less time a rank spends
    compiling than the slowest one.

    \b
    Examples:
      TORCH_TRACE=logs torchrun --nproc-per-node 8 train.py; inspect ranks logs
      inspect ranks logs -o ranks.html
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target)
    with asked.shown(target, is_whole=True) as (run, code):
        report = make_ranks_report(run)
        findings = tuple(item for rule in load_rules("ranks") for item in rule.check(report))
        timeline = f"{command_about(report.run, 'cold-start')} -o ranks.perfetto.json"
        asked.write(dataclasses.replace(report, findings=findings, next_steps=(timeline,)))
    return code
