"""The rules' documentation."""

from __future__ import annotations

import pytest

from inspector.findings.rule import Rule
from inspector.findings.severity import Severity
from tests.rule_docs import pages, written


def test_the_pages_are_those_of_the_rules() -> None:
    assert written() == pages()


def test_a_rule_without_documentation_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="What to do"):
        type("Bare", (Rule,), {"id": "bare", "severity": Severity.INFO, "__doc__": "Bare."})
