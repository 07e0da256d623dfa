"""Commands in the README and the documentation are commands that exist, with options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from inspector.cli import root as commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def documented_lines() -> list[tuple[str, str]]:
    """Page and command line, of all blocks of a shell and of what is indented like one."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        blocks = re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        lines = [line for block in blocks for line in block.splitlines()]
        lines += [line.strip() for line in text.splitlines() if line.startswith("    inspect ")]
        found += [(page.name, line) for line in lines if re.match(r"\$? ?inspect ", line)]
    return found


@pytest.mark.parametrize(("page", "line"), documented_lines())
def test_a_command_line_is_understood(page: str, line: str) -> None:
    words = shlex.split(line.removeprefix("$ "), comments=True)
    if any("…" in word or word in {"DIR", "ID"} for word in words):
        pytest.skip("an ellipsis")
    group = click.Context(commands, info_name="inspect", obj=None)
    command = commands.get_command(group, words[1])
    if command is None:
        assert page == "extending.md"  # the command of its plugin
        return
    command.make_context(words[1], words[2:], parent=group)
