"""Calls and definitions in a program's text."""

import ast
import dataclasses
from collections.abc import Iterator
from typing import TypeAlias

from inspector.report.user_code.code import called
from inspector.run.source import parsed
from inspector.shared.stack import StackFrame

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
"""What defines a function."""


@dataclasses.dataclass(frozen=True, slots=True)
class Parameters:
    """What a function takes.

    Attributes:
        names: All named parameters, the positional ones first.
        is_wrapper: Whether it is torch's own function around a module of torch.
        optional: The named parameters whose default is None.
    """

    names: tuple[str, ...] = ()
    positional: int = 0
    star: str = ""
    keywords: str = ""
    is_method: bool = False
    is_wrapper: bool = False
    function: str = ""
    optional: frozenset[str] = frozenset()


def definition_at(
    text: str, line: int, name: str, *, is_inside: bool = False
) -> tuple[Definition, bool] | None:
    """The function that is defined at a line, and whether it stands in a class.

    None where there is none, or where several that take other parameters are.

    Args:
        line: The line, of the definition or of its first decorator.
        is_inside: Whether the line is one within the function, as what goes on behind a graph break
            has it; then it is the innermost function of that name.
    """
    found: list[tuple[Definition, bool]] = []
    for node, in_class in _definitions(parsed(text)):
        own = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        lines = {node.lineno, min([node.lineno, *(item.lineno for item in decorators)])}
        is_around = is_inside and node.lineno <= line <= (node.end_lineno or node.lineno)
        if own == name and (line in lines or is_around):
            found.append((node, in_class))
    innermost = max((node.lineno for node, _ in found), default=0)
    known = [each for each in found if each[0].lineno == innermost or not is_inside]
    alike = {ast.dump(node.args) for node, _ in known}
    return known[0] if len(alike) == 1 else None


def parameters_of(text: str, line: int, name: str, *, is_inside: bool = False) -> Parameters:
    """The parameters of the function that is defined at a line, as `definition_at` finds it."""
    found = definition_at(text, line, name, is_inside=is_inside)
    if found is None:
        return Parameters()
    node, in_class = found
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    is_static = any(ast.unparse(item) == "staticmethod" for item in decorators)
    parameters = _parameters(node.args, is_method=in_class and not is_static)
    return dataclasses.replace(parameters, function=name)


def called_on(text: str, caller: StackFrame, name: str) -> ast.Call | None:
    """The call of a function on a line, or None where it is not certain which it is.

    The one that the caller is at, where that is known; else the one that has the function's name,
    or the only one.
    """
    calls = list(_calls(text, caller.line, caller.code))
    if caller.column is not None and text:
        own = (caller.line, caller.end_line, caller.column, caller.end_column)
        exact = [call for call in calls if _span(text, call) == own]
        return exact[0] if exact else None
    named = [call for call in calls if called(call) == name]
    if named:
        return named[0] if len(named) == 1 else None
    return calls[0] if len(calls) == 1 else None


def _definitions(tree: ast.AST | None) -> Iterator[tuple[Definition, bool]]:
    """All functions, each with whether it stands in a class."""
    for node in ast.walk(tree) if tree is not None else ():
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Definition):
                yield child, isinstance(node, ast.ClassDef)


def _parameters(arguments: ast.arguments, *, is_method: bool) -> Parameters:
    positional = (*arguments.posonlyargs, *arguments.args)
    given = arguments.defaults
    defaults = [*zip(positional[len(positional) - len(given) :], given, strict=True)]
    defaults += [
        (name, default)
        for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    return Parameters(
        optional=frozenset(
            name.arg
            for name, default in defaults
            if isinstance(default, ast.Constant) and default.value is None
        ),
        names=tuple(item.arg for item in (*positional, *arguments.kwonlyargs)),
        positional=len(positional),
        star=arguments.vararg.arg if arguments.vararg else "",
        keywords=arguments.kwarg.arg if arguments.kwarg else "",
        is_method=is_method and bool(positional),
    )


def _span(text: str, call: ast.Call) -> tuple[int | None, ...]:
    """First and last line, and columns in characters; ``ast`` counts UTF-8 bytes."""
    end = call.end_lineno or call.lineno
    columns = ((call.lineno, call.col_offset), (end, call.end_col_offset or 0))
    lines = text.split("\n")
    if not text or end > len(lines):
        return ()
    begin, last = (
        len(lines[line - 1].encode("utf-8", "surrogatepass")[:at].decode("utf-8", "replace"))
        for line, at in columns
    )
    return (call.lineno, end, begin, last)


def _calls(text: str, line: int, code: str) -> Iterator[ast.Call]:
    """The calls on a line of a file; of a line alone, where the file is not known."""
    tree = parsed(text) if text else parsed(code.strip())
    line = line if text else 1
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node
