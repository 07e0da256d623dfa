"""``inspect rule``: what a rule, an advice, or one of torch's GB ids, means."""

import shutil
import textwrap
from collections.abc import Iterable
from typing import Any

import click

from inspector import plugins
from inspector.cli.grouped import Command
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL, about
from inspector.features.breaks.registry import GraphBreakType, Registry, find_registry
from inspector.report.rule import Rule
from inspector.report.wording import versions
from inspector.shared.near_matches import near_matches

_URL = "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{}.html"


@click.command("rule", cls=Command)
@click.argument("name", metavar="[ID]", required=False)
@click.option("--python", metavar="PATH", help="Read torch's registry from this interpreter.")
def command(name: str | None, python: str | None) -> None:
    """Explain a rule or a torch GB id, and show a tested fix.

    ID is a torch-inspector rule (graph-break), a piece of advice (print), or the id of a graph
    break (GB0059). Explanations and hints for GB ids come from the installed torch. Without ID,
    list all of them.

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
        _list(rules.values(), find_registry(python))
    elif name in rules:
        _print_rule(rules[name])
    elif name in advice:
        _print_advice(advice[name])
    elif name.upper().startswith("GB"):
        _print_type(_entry(name, find_registry(python)))
    else:
        near = near_matches(name, [*rules, *advice])
        hint = f"Did you mean {' or '.join(near)}?" if near else "Run inspect rule to list all."
        raise UsageError(f"There is no rule {name!r}.", hint)


def _entry(name: str, registry: Registry | None) -> GraphBreakType:
    gb_id = f"GB{name[2:].zfill(4)}"
    entry = registry.types.get(gb_id) if registry else None
    kinds = (kind for item in about(gb_id) for kind in item.kinds if kind.gb_id == gb_id)
    if entry is None and (known := next(kinds, None)):
        # Advice needs no torch, and is there for kinds that another torch has.
        return GraphBreakType(gb_id, known.gb_type, "", (), "")
    if registry is None:
        message = "GB ids need torch's registry, but torch is not installed here."
        raise EnvironmentLacksError(
            message, "Use --python to select an interpreter that has torch."
        )
    if entry is None:
        message = f"torch {registry.torch_version} has no graph break {gb_id}."
        near = near_matches(gb_id, registry.types)
        raise UsageError(message, f"Did you mean {' or '.join(near)}?" if near else "")
    return entry


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


def _print_type(entry: GraphBreakType) -> None:
    lines = [f"{entry.gb_id}  {entry.gb_type}"]
    lines += ["", "Why", f"    {entry.explanation}"] if entry.explanation else []
    if entry.hints:
        lines += ["", "What torch advises", *(f"  - {hint}" for hint in entry.hints)]
    lines += ["", "Torch's context", f"    {entry.context}"] if entry.context else []
    lines += ["", f"See {_URL.format(entry.gb_id[2:])}"]
    click.echo("\n".join(_wrapped(lines)))
    for item in about(entry.gb_id, entry.gb_type):
        click.echo()
        _print_advice(item)


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


def _list(rules: Iterable[Rule[Any, Any]], registry: Registry | None) -> None:
    types = sorted(registry.types.values(), key=lambda entry: entry.gb_id) if registry else []
    listed = [(rule.id, rule.title()) for rule in rules]
    listed += [(item.id, item.title) for item in ALL]
    listed += [(entry.gb_id, entry.gb_type) for entry in types]
    for name, title in listed:
        click.echo(f"{name:26} {title}")
    if registry is None:
        click.echo("torch is not installed here, so its graph breaks are not listed", err=True)


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    width = shutil.get_terminal_size().columns
    for line in lines:
        indentation = " " * (len(line) - len(line.lstrip(" -")))
        yield from textwrap.wrap(
            line, width, subsequent_indent=indentation, break_long_words=False,
            replace_whitespace=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
