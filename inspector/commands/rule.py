"""``inspect rule``: what a rule, or one of torch's GB ids, means."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

import click

from inspector import plugins
from inspector.commands.completion import complete_rule
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.findings.rule import Rule
from inspector.sources.registry import GraphBreakType, Registry, find_registry

__all__ = ["command"]

_URL = "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{}.html"


@click.command("rule")
@click.argument("name", metavar="[ID]", required=False, shell_complete=complete_rule)
@click.option("--python", metavar="PATH", help="Take torch's registry from this interpreter.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def command(name: str | None, python: str | None, format_: str) -> None:
    """Say what a rule, or one of torch's GB ids, means.

    ID is a rule of ours (graph-break) or an id of a graph break (GB0059), for which torch's own
    explanation and hints are taken from the torch that is installed. Without an ID all are listed.

    \b
    Examples:
      inspect rule graph-break
      inspect rule GB0059
      inspect rule
    """  # noqa: D301 - click looks for the character, which keeps lines as they are
    rules = {rule.id: rule for rule in (module.RULE for module in plugins.load_analyses())}
    if name is None:
        _list(rules.values(), find_registry(python), format_)
    elif name in rules:
        _print_rule(rules[name], format_)
    elif name.upper().startswith("GB"):
        _print_type(_entry(name, find_registry(python)), format_)
    else:
        near = plugins.near_matches(name, rules)
        hint = f"Did you mean {' or '.join(near)}?" if near else "inspect rule lists all."
        raise UsageError(f"There is no rule {name!r}.", hint)


def _entry(name: str, registry: Registry | None) -> GraphBreakType:
    if registry is None:
        message = "No torch is installed here, and GB ids are explained from its registry."
        raise EnvironmentLacksError(message, "Name an interpreter that has it with --python.")
    digits = name[2:]
    gb_id = f"GB{digits.zfill(4)}"
    entry = registry.types.get(gb_id)
    if entry is None:
        message = f"torch {registry.torch_version} has no graph break {gb_id}."
        near = plugins.near_matches(gb_id, registry.types)
        raise UsageError(message, f"Did you mean {' or '.join(near)}?" if near else "")
    return entry


def _print_rule(rule: Rule, format_: str) -> None:
    if format_ == "json":
        fields = {"id": rule.id, "severity": rule.severity.value, "title": rule.title()}
        _print_json({**fields, "sections": rule.sections()})
        return
    lines = [f"{rule.id} ({rule.severity.value}): {rule.title()}"]
    for title, body in rule.sections().items():
        lines += ["", title, *(f"    {line}".rstrip() for line in body.split("\n"))]
    click.echo("\n".join(lines))


def _print_type(entry: GraphBreakType, format_: str) -> None:
    if format_ == "json":
        _print_json(entry.fields())
        return
    lines = [f"{entry.gb_id}  {entry.gb_type}"]
    lines += ["", "Why", f"    {entry.explanation}"] if entry.explanation else []
    if entry.hints:
        lines += ["", "What torch advises", *(f"  - {hint}" for hint in entry.hints)]
    lines += ["", "Torch's context", f"    {entry.context}"] if entry.context else []
    lines += ["", f"See {_URL.format(entry.gb_id[2:])}"]
    click.echo("\n".join(_wrapped(lines)))


def _list(rules: Iterable[Rule], registry: Registry | None, format_: str) -> None:
    types = sorted(registry.types.values(), key=lambda entry: entry.gb_id) if registry else []
    if format_ == "json":
        named = [{"id": rule.id, "title": rule.title()} for rule in rules]
        _print_json({"rules": named, "graph_breaks": [entry.fields() for entry in types]})
        return
    for rule in rules:
        click.echo(f"{rule.id:16} {rule.title()}")
    for entry in types:
        click.echo(f"{entry.gb_id:16} {entry.gb_type}")
    if registry is None:
        click.echo("torch is not installed here, so its graph breaks are not listed", err=True)


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    for line in lines:
        indentation = " " * (len(line) - len(line.lstrip(" -")))
        yield from textwrap.wrap(
            line, width, subsequent_indent=indentation, break_long_words=False,
            replace_whitespace=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
