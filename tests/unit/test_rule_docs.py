"""The rules' documentation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from inspector.features.breaks.advice.table import ALL
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from tests.rule_docs import pages


def test_every_page_has_text_and_links_to_pages_that_exist() -> None:
    written = pages()
    for name, text in written.items():
        prose = re.sub(r"```.*?```", "program", text, flags=re.DOTALL)
        title, *sections = re.split("^#+ ", prose, flags=re.MULTILINE)[1:]
        assert title.strip(), name
        assert len(sections) >= (1 if name == "README.md" else 4), name
        assert all("\n\n" in section.strip() for section in sections), name
        for link in re.findall(r"\]\(([^)]+)\)", prose):
            assert (Path(name).parent / link).as_posix() in written, name


def test_examples_are_python() -> None:
    for advice in ALL:
        ast.parse(advice.before)
        ast.parse(advice.after)


def test_a_rule_without_documentation_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="What to do"):
        type("Bare", (Rule,), {"id": "bare", "severity": Severity.INFO, "__doc__": "Bare."})
