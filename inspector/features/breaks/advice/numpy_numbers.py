"""NumPy functions of Python numbers: ``int(np.prod(x.shape[1:]))``."""

import ast
import re
from collections.abc import Iterator

from inspector.features.breaks.advice.edits import Fix, instead_of
from inspector.report.user_code.code import Code, called, dotted_name, written

# What Python has of the same: of sequences, and of numbers.
_OF_SEQUENCE = {"amax": "max", "amin": "min", "max": "max", "min": "min", "prod": "math.prod",
                "sum": "sum"}  # fmt: skip
_OF_NUMBERS = {
    "abs": "abs", "around": "round", "maximum": "max", "minimum": "min", "round": "round",
    **{name: f"math.{name}" for name in ("ceil", "exp", "floor", "log", "log2", "sqrt")},
}  # fmt: skip
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


def _in_python(call: ast.Call) -> str:
    """The same without NumPy; empty where Python has nothing like it."""
    name, arguments = called(call), [ast.unparse(argument) for argument in call.args]
    inner = (node for argument in call.args for node in ast.walk(argument))
    has_more = call.keywords or any(isinstance(n, ast.Call) and _is_numpy(n) for n in inner)
    if has_more or not arguments:
        return ""
    if name == "clip" and len(arguments) == 3:  # noqa: PLR2004 - np.clip(x, low, high)
        return f"min(max({arguments[0]}, {arguments[1]}), {arguments[2]})"
    one = call.args[0]
    is_item = isinstance(one, ast.Subscript) and not isinstance(one.slice, ast.Slice)
    is_sequence = len(arguments) == 1 and not (
        is_item or isinstance(one, ast.Constant | ast.BinOp | ast.Starred)
    )
    new = (_OF_SEQUENCE if is_sequence and name in _OF_SEQUENCE else _OF_NUMBERS).get(name, "")
    return f"{new}({', '.join(arguments)})" if new else ""


def python_numbers(code: Code) -> Fix:
    """What to write instead of each call of NumPy."""
    changes = {code.shown(call): _in_python(call) for call in _calls(code)}
    if not changes or not all(changes) or not all(changes.values()):
        return Fix()
    said = " and ".join(f"`{new}` instead of `{old}`" for old, new in changes.items())
    needs_math = any(new.startswith("math.") for new in changes.values())
    edits = (instead_of(code, call, _in_python(call)) for call in _calls(code))
    return Fix(
        f"Let Python do it: {'`import math`, and write ' if needs_math else ''}{said}.",
        tuple(edit for each in edits for edit in each),
    )
