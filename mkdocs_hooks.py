"""Pages of the site that are made from the code: the rules, the advice, the commands."""

from __future__ import annotations

import re

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from tests.rule_docs import pages

from inspector.cli import root

_WIDTH = 88  # of a code block in the theme
_OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\(\.\./(?!images|gallery)[^)]*\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds one page for each rule and each piece of advice, and the help of all commands."""
    files.append(File.generated(config, "reference/commands.md", content=_commands()))
    for name, text in pages().items():
        files.append(File.generated(config, f"rules/{name}", content=text))
    return files


def _commands() -> str:
    group = click.Context(root, info_name="inspect", max_content_width=_WIDTH)
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
    """What is in the repository and not on the site is named, and no link."""
    if "/" in page.file.src_uri:
        return markdown
    return _OUTSIDE.sub(lambda match: match["text"], markdown)
