"""Advice as changes of the user's file, to be tried: what its sentences say, put in its place."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from inspector.report.user_code.code import Code
from inspector.run.source import expression
from inspector.shared.edit import Edit, edited


class Fix(NamedTuple):
    """What to do in the words of the user's code, empty where not certain; and as changes of it."""

    text: str = ""
    edits: tuple[Edit, ...] = ()


def instead_of(code: Code, node: ast.expr, new: str) -> tuple[Edit, ...]:
    """Another expression in the place of one; empty where that cannot be said."""
    made = expression(new)
    if made is None:
        return ()
    binds = isinstance(made, ast.Call | ast.Name | ast.Attribute | ast.Subscript | ast.Constant)
    return _edit(code, node, new if binds else f"({new})")


def statements_instead_of(
    code: Code, statement: ast.stmt | None, new: Sequence[str]
) -> tuple[Edit, ...]:
    """Simple statements in the place of one statement; none leaves it out.

    Empty where that cannot be said.
    """
    if statement is None:
        return ()
    text = "; ".join(new) or "pass"
    line = code.lines[statement.lineno - 1] if statement.lineno <= len(code.lines) else ""
    if line.encode("utf-8", "surrogatepass")[statement.col_offset :].startswith(b"elif"):
        text = f"else: {text}"
    return _edit(code, statement, text)


def line_instead(code: Code, line: str) -> tuple[Edit, ...]:
    """One statement in the place of the one that the code is about; empty where there is none."""
    return statements_instead_of(code, code.statement, [line]) if line else ()


def possible(code: Code, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """The changes, if they make a program of the file; else none."""
    try:
        ast.parse(edited("\n".join(code.lines), edits))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # also of deep nesting
        return ()
    return tuple(edits)


def _edit(code: Code, node: ast.expr | ast.stmt, new: str) -> tuple[Edit, ...]:
    last, end = node.end_lineno, node.end_col_offset
    if last is None or end is None or last > len(code.lines):
        return ()
    inner = [line.encode("utf-8", "surrogatepass") for line in code.lines[node.lineno - 1 : last]]
    whole = b"\n".join(inner)
    begin, after = node.col_offset, len(whole) - len(inner[-1]) + end
    old = whole[begin:after]
    # `return(x)` and `(x)if y` need no space next to its parentheses.
    new = f"{' ' * _is_word(whole[:begin][-1:])}{new}{' ' * _is_word(whole[after:][:1])}"
    return (
        Edit(
            line=node.lineno,
            column=node.col_offset,
            end_line=last,
            end_column=end,
            old=old.decode("utf-8", "surrogatepass"),
            new=new,
            is_statement=isinstance(node, ast.stmt),
        ),
    )


def _is_word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"
