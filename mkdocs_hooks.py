"""Pages of the site that are made from the code: the rules, the advice, the commands."""

from __future__ import annotations

import re
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from inspector.cli import root
from inspector.cli.grouped import FULL_HELP
from inspector.features.breaks.advice.advice import Advice
from inspector.features.breaks.advice.table import ALL
from inspector.plugins import load_all_rules
from inspector.report.rule import Rule
from inspector.report.wording import versions

_ADVICE = (
    "What is advised on a graph break, with a program that breaks and the same program fixed. "
    "Tests run both: the second has no graph break and computes the same."
)
_WIDTH = 88  # of a code block in the theme
_NAMED_FILE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\(\.\./(?!images|gallery)[^)]*\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds one page for each rule and each piece of advice, and the help of all commands."""
    files.append(File.generated(config, "reference/commands.md", content=_commands()))
    for name, text in rule_pages().items():
        files.append(File.generated(config, f"rules/{name}", content=text))
    return files


def _commands() -> str:
    group = click.Context(root, info_name="inspect", max_content_width=_WIDTH)
    group.meta[FULL_HELP] = True
    parts = ["# Commands", "`torch-inspector` is the same command as `inspect`."]
    for name in root.list_commands(group):
        if (command := root.get_command(group, name)) is None:
            continue
        context = click.Context(
            command, group, name, terminal_width=_WIDTH, max_content_width=_WIDTH
        )
        parts += [f"## inspect {name}", f"```text\n{command.get_help(context)}\n```"]
    return "\n\n".join(parts) + "\n"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """What is in the repository and not on the site is named, and no link; files have titles."""
    markdown = _NAMED_FILE.sub(r'```\1 title="\2"', markdown)
    if "/" in page.file.src_uri:
        return markdown
    return _OUTSIDE.sub(lambda match: match["text"], markdown)


def rule_pages() -> dict[str, str]:
    """Text by file name: one page per rule and per advice, and their list."""
    rules = load_all_rules()
    index = ["# Rules", "", "| rule | severity | |", "| --- | --- | --- |"]
    index += [f"| [{r.id}]({r.id}.md) | {r.severity.value} | {r.title()} |" for r in rules]
    index += ["", "## Advice on graph breaks", "", _ADVICE, "", "| advice | | graph breaks |"]
    index += ["| --- | --- | --- |"]
    index += [f"| [{a.id}](advice/{a.id}.md) | {_cell(a.title)} | {_ids(a)} |" for a in ALL]
    texts = {"README.md": "\n".join(index) + "\n"} | {f"{r.id}.md": _rule_page(r) for r in rules}
    return texts | {f"advice/{a.id}.md": _advice_page(a) for a in ALL}


def _ids(advice: Advice) -> str:
    return ", ".join(kind.gb_id for kind in advice.kinds)


def _cell(text: str) -> str:
    """Text in a cell of a table: names with underscores are no emphasis."""
    return text.replace("_", "\\_").replace("|", "\\|")


def _advice_page(advice: Advice) -> str:
    name, _, rest = advice.title.partition(" ")
    # A name of code at the beginning stays as it is.
    title = f"{name.capitalize() if name.isalpha() else name} {rest}".rstrip()
    lines = [f"# {advice.id}", "", f"{_cell(title)}."]
    if advice.other_way_of:
        ways = " and ".join(f"[{name}]({name}.md)" for name in advice.other_way_of)
        lines += ["", f"Alternative to {ways}."]
    lines += ["", *(f"- {kind.gb_id} {_cell(kind.gb_type)}" for kind in advice.kinds)]
    lines += ["", "## What to do", "", advice.fix]
    lines += ["", "## Before", "", "```python", advice.before.rstrip(), "```"]
    lines += ["", "## After", "", "```python", advice.after.rstrip(), "```"]
    lines += ["", "## What it keeps", "", advice.keeps]
    lines += ["", f"Tested on torch {versions(advice.tested_on)}."]
    return "\n".join(lines) + "\n"


def _rule_page(rule: Rule[Any, Any]) -> str:
    text = f"# {rule.id}\n\n{rule.title()} (severity: {rule.severity.value}).\n"
    parts = [f"## {title}\n\n{body}\n" for title, body in rule.documentation.sections.items()]
    return "\n".join([text, *parts])
