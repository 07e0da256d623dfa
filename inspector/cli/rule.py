"""``inspect rule``: what a rule means, and the advice on a graph break."""

import re
import shutil
import textwrap
from collections.abc import Iterable
from typing import Any

import click

from inspector import plugins
from inspector.cli.grouped import Command
from inspector.errors import UsageError
from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL, about
from inspector.report.rule import Rule
from inspector.report.wording import versions
from inspector.shared.near_matches import suggestion

_URL = "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{}.html"
_GB_ID = re.compile(r"gb(\d{1,4})", re.IGNORECASE)


@click.command("rule", cls=Command)
@click.argument("name", metavar="[ID]", required=False)
def command(name: str | None) -> None:
    """Explain a rule, or show the tested fixes for a graph break.

    ID is a torch-inspector rule (graph-break), a piece of advice (print), or torch's id of a graph
    break (GB0059). Without ID, list all rules and advice.

    \b
    Examples:
      inspect rule graph-break
      inspect rule print
      inspect rule GB0059
      inspect rule
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    rules = {rule.id: rule for rule in plugins.load_all_rules()}
    advice = {item.id: item for item in ALL}
    if name is None:
        listed = [(rule.id, rule.title()) for rule in rules.values()]
        for each, title in (*listed, *((item.id, item.title) for item in ALL)):
            click.echo(f"{each:26} {title}")
    elif name in rules:
        _print_rule(rules[name])
    elif name in advice:
        _print_advice(advice[name])
    elif kind := _GB_ID.fullmatch(name):
        _print_kind(kind[1].zfill(4))
    else:
        hint = suggestion(name, [*rules, *advice], "Run inspect rule to list all.")
        raise UsageError(f"There is no rule {name!r}.", hint)


def _print_kind(number: str) -> None:
    """Torch's name and page of a graph break, and the advice on it."""
    found = about(f"GB{number}")
    names = [k.gb_type for item in found for k in item.kinds if k.gb_id == f"GB{number}"]
    click.echo(f"GB{number}  {names[0]}" if names else f"GB{number}: no advice")
    click.echo(f"\nSee {_URL.format(number)}")
    for item in found:
        click.echo()
        _print_advice(item)


def _print_rule(rule: Rule[Any, Any]) -> None:
    lines = [f"{rule.id} ({rule.severity.value}): {rule.title()}"]
    for title, body in rule.documentation.sections.items():
        lines += ["", title]
        for index, part in enumerate(f"{body}\n".split("```")):
            if index % 2:  # a program, after the name of its language
                lines += ["", *(f"{'':8}{line}".rstrip() for line in part.split("\n")[1:-1])]
            elif prose := " ".join(part.split()):
                lines += [*[""] * (index > 0), *_wrapped([f"    {prose}"])]
    click.echo("\n".join(lines))


def _print_advice(advice: Advice) -> None:
    ids = ", ".join(kind.gb_id for kind in advice.kinds)
    prose = [f"{advice.id}: {advice.title} ({ids})", "", f"    {advice.fix}"]
    if advice.other_way_of:
        prose += ["", f"Alternative to {' and '.join(advice.other_way_of)}."]
    lines = [*_wrapped(prose)]
    for title, program in (("Before", advice.before), ("After", advice.after)):
        lines += ["", title, *(f"    {line}".rstrip() for line in program.splitlines())]
    tested = f"Tested on torch {versions(advice.tested_on)}."
    lines += _wrapped(["", "Keeps", f"    {advice.keeps}", "", tested])
    click.echo("\n".join(lines))


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    width = shutil.get_terminal_size().columns
    for line in lines:
        indentation = " " * (len(line) - len(line.lstrip(" -")))
        yield from textwrap.wrap(
            line, width, subsequent_indent=indentation, break_long_words=False,
            replace_whitespace=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
