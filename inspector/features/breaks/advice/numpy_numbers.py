"""NumPy functions of Python numbers: ``int(np.prod(x.shape[1:]))``."""

import ast
import re
from collections.abc import Iterator

from inspector.report.user_code.code import Code, called, dotted_name, written

_OF_PYTHON = frozenset({"abs", "float", "int", "len", "max", "min", "round", "sum"})
_SIZES = re.compile(r"size|shape|dim|num_|stride|grid|window|kernel|width|height|length")
_is_size = written("_.shape", "_.ndim", "len(_)", "_.size(*_)", "_.numel()", "_.dim()")


def _calls(code: Code) -> Iterator[ast.Call]:
    """The calls of NumPy that are in no other one."""
    inside: set[ast.AST] = set()
    for node in code.nodes():  # breadth first: what is around a node comes before it
        if isinstance(node, ast.Call) and _is_numpy(node) and node not in inside:
            inside.update(ast.walk(node))
            yield node


def _is_numpy(node: ast.Call) -> bool:
    return dotted_name(node.func).startswith(("np.", "numpy."))


def numpy_of_sizes(code: Code) -> bool:
    """Whether NumPy calculates with sizes and constants alone here."""
    calls = tuple(_calls(code))
    return bool(calls) and all(_is_number(code, call) for call in calls)


def _is_number(code: Code, node: ast.AST | None, *, follows: bool = True) -> bool:
    """Whether an expression is a number of Python's, or several, as far as one can see."""
    match node:
        case ast.Name(id=name) if follows and (setters := code.setters(name)):
            parents = code.parents()
            # Also a part of it: `b, c = x.shape`.
            made = [parents.get(x) if isinstance(x, ast.Tuple) and x else x for x in setters]
            values = [each.value for each in made if isinstance(each, ast.Assign)]
            parts: list[ast.expr] = values if len(values) == len(made) else []
        case ast.Name(id=name) | ast.Attribute(attr=name) if not _is_size(node):
            return _SIZES.search(name) is not None
        case ast.Call(args=parts) if _is_numpy(node) or called(node) in _OF_PYTHON:
            pass
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Starred(value=value) | ast.Subscript(value=value) | ast.UnaryOp(operand=value):
            parts = [value]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case _:
            return isinstance(node, ast.Constant) or _is_size(node)
    return bool(parts) and all(_is_number(code, part, follows=False) for part in parts)
