"""The rules' documentation."""

import ast

import pytest

from inspector.features.breaks.advice.table import ALL
from inspector.report.rule import Rule
from inspector.report.severity import Severity


def test_examples_are_python() -> None:
    for advice in ALL:
        ast.parse(advice.before)
        ast.parse(advice.after)


def test_a_rule_without_documentation_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="What to do"):
        type("Bare", (Rule,), {"id": "bare", "severity": Severity.INFO, "__doc__": "Bare."})
