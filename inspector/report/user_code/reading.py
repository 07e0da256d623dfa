"""Finds the user's code at a graph break, in a whole file or in one line of it."""

import ast
import dataclasses

from inspector.report.user_code.code import Code, header
from inspector.run.source import parsed


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """Where torch says that it broke.

    Attributes:
        column: First column, 0-based, in characters, or None where torch does not say.
        end_column: Column after the last one, or None.
    """

    line: int
    end_line: int
    column: int | None = None
    end_column: int | None = None


def read_text(text: str, span: Span) -> Code:
    """The code at a place in the whole text of a file."""
    tree = parsed(text)
    if tree is None:
        return Code()
    lines = text.split("\n")
    return _found(tree, _in_bytes(lines, span), lines)


def read_line(line: str, span: Span) -> Code:
    """The code of one line, where no more of the file is known.

    Args:
        span: Where in it; its line numbers do not matter.
    """
    text, cut = line.lstrip(), len(line) - len(line.lstrip())
    if text.startswith("elif "):
        text, cut = text[2:], cut + 2
    begin, end = (None if at is None else at - cut for at in (span.column, span.end_column))
    if span.line != span.end_line or (begin is not None and begin < 0):
        begin = end = None
    for attempt in (text, f"{text.rstrip()} pass"):
        tree = parsed(attempt)
        if tree is not None:
            return _found(tree, _in_bytes([attempt], Span(1, 1, begin, end)), [attempt])
    return Code()


def _in_bytes(lines: list[str], span: Span) -> Span:
    """The span with its columns in bytes of UTF-8, as syntax trees have them."""
    if span.column is None or span.end_column is None or span.end_line > len(lines):
        return dataclasses.replace(span, column=None, end_column=None)
    first, last = lines[span.line - 1], lines[span.end_line - 1]
    begin = len(first[: span.column].encode("utf-8", "surrogatepass"))
    end = len(last[: span.end_column].encode("utf-8", "surrogatepass"))
    return Span(span.line, span.end_line, begin, end)


def _found(tree: ast.Module, span: Span, lines: list[str]) -> Code:
    # Outer before inner ones.
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    around = [node for node in statements if _covers(node, span)]
    # `if x: return` has two statements on its line; without columns it is the first one.
    first = [node for node in around if node.lineno == span.line and span.column is None]
    if not around:
        return Code()
    statement = first[0] if first else around[-1]
    functions = [n for n in around if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return Code()
    same = (node for node in header(statement) if isinstance(node, ast.expr) and _is(node, span))
    function = functions[-1] if functions else None
    return Code(statement, next(same, None), function, tuple(lines))


def _covers(node: ast.stmt, span: Span) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    if span.column is None or span.end_column is None:
        return begin[0] <= span.line and span.end_line <= end[0]
    return begin <= (span.line, span.column) and (span.end_line, span.end_column) <= end


def _is(node: ast.expr, span: Span) -> bool:
    place = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
    return place == (span.line, span.end_line, span.column, span.end_column)
