"""``inspect numerics``: where the numbers of compiled code leave those of eager PyTorch."""

import dataclasses

import click

from inspector.cli.gate import EXIT_FINDINGS
from inspector.cli.grouped import Command
from inspector.cli.options import always_inductor
from inspector.cli.record import record
from inspector.cli.recording_options import Asked, recording_options
from inspector.cli.target import is_model, reading
from inspector.features.numerics.report import make_numerics_report


@click.command("numerics", cls=Command)
@click.argument("target", required=False, type=click.Path())
@click.option("--no-grad", is_flag=True, help="Call the model under torch.no_grad(): inference.")
@recording_options
def command(target: str | None, asked: Asked) -> int:
    """Show where the results of compiled code diverge from those of eager PyTorch.

    TARGET is a model (model.py, model.py:name, package.module:name), or a recording of this
    command; by default the newest recording. Results are compared with eager PyTorch's and with
    float64. Differences beyond rounding are traced to the first differing operator and to the
    modules. Exits with 1 if anything differs.

    \b
    Examples:
      inspect numerics samples/small_cnn/model.py
      inspect numerics samples/small_cnn/model.py --train --dtype bf16
      inspect numerics samples/small_cnn/model.py --mode max-autotune -o numerics.html
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    asked.check(target)
    if not is_model(target):
        with reading(target) as run:
            report = make_numerics_report(run)
            asked.write(report)
        return EXIT_FINDINGS if report.differs else 0
    request = asked.request(target, backend="inductor", measure=False, command="numerics")
    settings = dataclasses.replace(asked.settings, fresh_caches=False)
    made = record(("numerics", request.to_json()), target, request.asked, settings)
    report = make_numerics_report(made.run)
    asked.write(report)
    return made.exit_code or (EXIT_FINDINGS if report.differs else 0)


always_inductor(command)
