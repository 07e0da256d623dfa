"""The function around a line, told by indentation, is the one that Python's parser finds."""

from __future__ import annotations

import ast
import functools
import statistics
from pathlib import Path

import pytest

from inspector.capture.sources import function_lines

FILES = [Path(module.__file__) for module in (ast, functools, statistics)]


def parsed(text: str) -> dict[int, tuple[int, int]]:
    """By line, where the innermost function around it begins and ends."""
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for line in range(node.lineno, (node.end_lineno or 0) + 1):
                found[line] = max(found.get(line, (0, 0)), (node.lineno, node.end_lineno or 0))
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_functions_are_those_of_the_parser(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines, wanted = text.splitlines(), parsed(text)
    code = [
        statement.lineno
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
    ]
    assert len(code) > 100
    for line in code:
        found = function_lines(lines, line)
        assert found is not None
        assert (found.start, found.stop - 1) == wanted[line]


@pytest.mark.parametrize(
    ("text", "line"), [("x = 1", 1), ("", 1), ("x = 1", 0), ("x = 1", 7), ("def f():\n\n    x", 2)]
)
def test_outside_of_functions_there_is_none(text: str, line: int) -> None:
    assert function_lines(text.splitlines(), line) is None
