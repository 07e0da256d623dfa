"""Commands whose help fits on a screen: what they share is listed by name, and in full with -v."""

import re

import click

FULL_HELP = "inspector.full_help"
"""Key of click's ``ctx.meta``: whether the help has all sentences, as the documentation has."""

_GROUPS = {
    "Model": "device dtype train no_grad grad autocast tf32 optimizer python",
    "Compile": "backend mode dynamic fullgraph",
    "Recording": "no_progress save timeout calls measure sessions seconds",
    "Picture": "depth force",
}
_LAST = ("output", "format_", "verbose", "_click_default_help")
_FEW = 9  # options that have a line each
_FIRST = re.compile(r"(?<=[.;]) ")
_DEFAULTS = re.compile(r"  \[[^\]]*\](?:  \[[^\]]*\])*$")


class Command(click.Command):
    """A click command; what only it has comes first among its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the command line; see click. ``--help -v`` shows the whole help."""
        if {"-v", "--verbose"} & {*args}:
            ctx.meta[FULL_HELP] = True
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, those of groups last."""
        options = {
            item.name or "": item for item in self.get_params(ctx) if isinstance(item, click.Option)
        }
        groups = {
            title: [options.pop(name) for name in names.split() if name in options]
            for title, names in (_GROUPS if len(options) > _FEW else {}).items()
        }
        last = [options.pop(name) for name in _LAST if name in options]
        groups = {"Options": [*options.values(), *last], **groups}
        if ctx.meta.get(FULL_HELP, False):
            for title, found in groups.items():
                _write(formatter, title, [option.get_help_record(ctx) for option in found])
            return
        rows = [option.get_help_record(ctx) for option in groups.pop("Options")]
        _write(formatter, "Options", [row and (row[0], _short(row[1])) for row in rows])
        names = {
            title: ", ".join(_name(option) for option in found) for title, found in groups.items()
        }
        _write(formatter, "More (see --help -v)", [*names.items()])


def _write(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str] | None]) -> None:
    if found := [row for row in rows if row is not None and row[1]]:
        with formatter.section(title):
            formatter.write_dl(found)


def _name(option: click.Option) -> str:
    return "/".join((*option.opts[:1], *option.secondary_opts[:1]))


def _short(text: str) -> str:
    """The first sentence, and the default."""
    defaults = _DEFAULTS.search(text)
    body = text[: defaults.start()] if defaults else text
    return _FIRST.split(body)[0].rstrip(".;") + (defaults[0] if defaults else "")
