"""Commands whose help has its options in groups, each with its first sentence."""

from __future__ import annotations

import re

import click

FULL_HELP = "inspector.full_help"
"""Key of click's ``ctx.meta``: whether the help has all sentences, as the documentation has."""

_GROUPS = {
    "Model": "inputs device dtype train no_grad python",
    "Compile": "backend mode dynamic fullgraph gpu",
    "Recording": "calls measure timeout save caches max_bytes seconds sessions",
    "Output": "help output format_ verbose is_whole no_progress fail_on baseline",
}
_FIRST = re.compile(r"(?<=[.;]) ")
_DEFAULTS = re.compile(r"  \[[^\]]*\](?:  \[[^\]]*\])*$")


class Command(click.Command):
    """A click command; what only it has comes first among its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the groups."""
        is_full = ctx.meta.get(FULL_HELP, False)
        rows: dict[str, list[tuple[str, str]]] = {"Options": [], **{name: [] for name in _GROUPS}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                names, text = record
                rows[_group(parameter.name or "")].append(
                    (names, text if is_full else _short(text))
                )
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _group(name: str) -> str:
    return next((title for title, names in _GROUPS.items() if name in names.split()), "Options")


def _short(text: str) -> str:
    """The first sentence, and the defaults that click adds."""
    defaults = _DEFAULTS.search(text)
    body = text[: defaults.start()] if defaults else text
    return _FIRST.split(body)[0].rstrip(".;") + (defaults[0] if defaults else "")
