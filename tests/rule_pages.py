"""The examples on the pages of the rules, and what is to be found in them.

An example is a command, and the program that it reads or what it finds in a recording. A finding
is written on its line or above it, as in ``# warning: [graph-break] "part of the message"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from inspector.plugins import load_all_rules

_EXAMPLE = re.compile(r"(?ms)`inspect ([^`]+)`[^`]*^```(python|text)\n(.*?)^```$")
_FINDING = re.compile(r'(info|warning|error): \[([\w-]+)\] "(.*)"$')


class Example(NamedTuple):
    """An example; of a recording there is no program."""

    rule: str
    command: tuple[str, ...]
    program: str
    expected: list[tuple[int, str, str]]

    def check(self, findings: Iterable[Mapping[str, Any]], file: str = "") -> None:
        """Asserts that the rule has found, in a file, what the page says and nothing else."""
        found = sorted(
            (item["line"], item["severity"], item["message"])
            for item in findings
            if item["rule"] == self.rule and item["file"].endswith(file)
        )
        assert [item[:2] for item in found] == [item[:2] for item in self.expected], found
        for (*_, message), (*_, text) in zip(found, self.expected, strict=True):
            assert text in message


def examples() -> dict[str, Example]:
    """By rule; a rule without an example that can be run has none."""
    found = (
        (r.id, example_of(r.id, r.documentation.sections["Example"])) for r in load_all_rules()
    )
    return {rule: example for rule, example in found if example}


def example_of(rule: str, page: str) -> Example | None:
    """The example on a page, if it can be run."""
    shown = _EXAMPLE.search(page)
    if shown is None:
        return None
    command, language, text = shown.groups()
    program = text if language == "python" else ""
    return Example(rule, tuple(command.split()), program, sorted(_expected(rule, text)))


def _expected(rule: str, text: str) -> Iterable[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _FINDING.search(line)) and found[2] == rule:
            above = line.lstrip().startswith("#")
            place = re.match(r"\S+?:(\d+): ", line)
            at = int(place[1]) if place else number + above
            yield at, found[1], found[3]
