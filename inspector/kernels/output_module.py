"""Inductor's output code as Python reads it."""

from __future__ import annotations

import ast


def output_module(text: str) -> ast.Module:
    """Parses the output code of a graph. It is never run: it comes from logs.

    Raises:
        ValueError: It is no Python (cut off, say).
    """
    try:
        return ast.parse(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        message = "the output code is no Python"
        raise ValueError(message) from error
