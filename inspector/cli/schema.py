"""``inspect schema``: the fields of a report as JSON."""

import json
import sys

import click

from inspector.cli.grouped import Command
from inspector.errors import UsageError
from inspector.plugins import REPORTS, report_views
from inspector.report.json.schema import Schema, make_schema


@click.command("schema", cls=Command)
@click.argument("kind", metavar="[REPORT]", required=False)
def command(kind: str | None) -> None:
    """Print the JSON Schema (draft 2020-12) of a report.

    REPORT is a kind of report, such as explain or kernels. Without REPORT, list all of them.

    \b
    Examples:
      inspect schema explain
      inspect schema
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    if kind is None:
        sys.stdout.writelines(f"{name}\n" for name in REPORTS)
        return
    if kind not in REPORTS:
        raise UsageError(f"There is no report {kind!r}.", f"Choose one of {', '.join(REPORTS)}.")
    sys.stdout.write(json.dumps(schema_of(kind), indent=2) + "\n")


def schema_of(kind: str) -> Schema:
    """The schema of a kind of report."""
    views = report_views(kind)
    report = next(
        key for key in views if isinstance(key, type) and key.__name__ == REPORTS[kind][0]
    )
    return make_schema(report, views)
