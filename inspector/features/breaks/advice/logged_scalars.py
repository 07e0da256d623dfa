"""Numbers that are made of tensors to be told or kept: in texts, records, results."""

from __future__ import annotations

import ast
import re

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.caught import catcher
from inspector.features.breaks.advice.moving import in_the_caller
from inspector.features.breaks.advice.numbers import is_number_of, is_scalar, tensor_of
from inspector.report.user_code.code import Code, dotted_name


def _number(code: Code) -> ast.expr | None:
    """The number that is made where an error is raised."""
    is_error = isinstance(code.statement, ast.Raise)
    return code.find(lambda node: is_error and tensor_of(node) is not None)


def _tailored(code: Code) -> str:
    """Where the compiled code itself catches the error, and does not look at its text."""
    found = catcher(code, code.statement) if isinstance(code.statement, ast.Raise) else None
    shown = code.shown(_number(code))
    if found is None or not shown or _is_read(found.node):
        return ""
    where = f"line {found.node.lineno}" if isinstance(found.node, ast.ExceptHandler) else "a `with`"
    name = found.code.function.name if found.code.function is not None else "the function"
    return (
        f"The error is caught in the compiled code ({where} of `{name}`), which does not look at "
        f"its text: leave `{shown}` out of it."
    )


def _is_read(node: ast.ExceptHandler | ast.With) -> bool:
    """Whether somebody may look at the error that is caught: it has a name, or is raised again."""
    if isinstance(node, ast.With):
        return False
    inner = [each for statement in node.body for each in ast.walk(statement)]
    named = any(isinstance(each, ast.Name) and each.id == node.name for each in inner)
    return named or any(isinstance(each, ast.Raise) and each.exc is None for each in inner)


# Functions and methods that tell what they are given, or keep it: `print`, `log.info`,
# `writer.add_scalar`, `history.append`, `"…".format`.
_TELLS = re.compile(
    r"^(?:append|appendleft|extend|format|repr|setdefault|str|update)$"
    r"|^add_scalars?$"
    r"|(?:^|_)(?:critical|debug|error|exception|info|log|log_dict|log_metrics|pprint|print|warn"
    r"|warning|write)(?:_once)?$"
)
_COMPUTE = ("F.", "cmath.", "math.", "np.", "numpy.", "torch.")  # `math.log` tells nobody
_ROUNDS = frozenset({"abs", "float", "int", "round"})


def is_told(code: Code) -> bool:
    """Whether all that is done with the number is to tell it or to keep it."""
    number = _logged_number(code)
    return number is not None and code.function is not None and _Uses(code).are_told(number)


def _logged_number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``float(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int", "float"))


class _Uses:
    """Follows a number."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._parents = code.parents()
        self._followed: set[str] = set()

    def are_told(self, node: ast.AST) -> bool:
        """Whether what an expression gives is told or kept, and nothing is computed with it."""
        parent = self._parents.get(node)
        match parent:
            case ast.FormattedValue() | ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
                return True
            case ast.keyword() | ast.Dict() | ast.Tuple() | ast.List() | ast.UnaryOp():
                return self.are_told(parent)
            case ast.BinOp(left=left, right=right):
                other = right if left is node else left
                return isinstance(other, ast.Constant) and self.are_told(parent)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return self._is_told_to(name, parent, node)
        return self._is_kept(parent)

    def _is_kept(self, parent: ast.AST | None) -> bool:
        """Whether a statement gives it away, or gives it a name that is only told."""
        match parent:
            case ast.Return():
                # What a function gives that was called here is for its caller to use.
                return not self._code.callers
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._is_name_told(name)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                # What the function itself made may be for the function.
                return not self._code.stores(name) or self._is_name_told(name)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return True
        return False

    def _is_told_to(self, name: str, call: ast.Call, node: ast.AST) -> bool:
        if node is call.func or dotted_name(call.func).startswith(_COMPUTE):
            return False
        is_rounded = name in _ROUNDS and self.are_told(call)
        # Nothing is made of what the call gives, nor does it write to a tensor.
        for_effect = isinstance(self._parents.get(call), ast.Expr) and not name.endswith("_")
        return _TELLS.search(name) is not None or is_rounded or for_effect

    def _is_name_told(self, name: str) -> bool:
        if name in self._followed:
            return True
        self._followed.add(name)
        loads = [load for load in self._code.loads(name) if not self._is_stored_into(load)]
        return not self._code.is_outer(name) and all(map(self.are_told, loads))

    def _is_stored_into(self, load: ast.expr) -> bool:
        """``told["n"] = …``."""
        parent = self._parents.get(load)
        return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)


def _formats(node: ast.AST) -> bool:
    """``"%.1f" % total``."""
    match node:
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
            return True
    return False


def _logged_tailored(code: Code) -> str:
    number = _logged_number(code)
    if moved := in_the_caller(code):
        return moved
    tensor = tensor_of(number)
    new, old = code.shown(tensor), code.shown(number)
    if tensor is None or not new or not old:
        return ""
    whole = f"{new}.detach()" if is_scalar(tensor) else f"{new}.detach().clone()"
    if isinstance(code.statement, ast.Return):
        return f"Return `{whole}` instead of `{old}`, and make the number in the caller."
    return (
        f"Return `{whole}` instead of `{old}`, or keep that, and make the number (`.item()`) and "
        "its text, record or plot in the caller: it exists only after the graph has run."
    )


ADVICE = (
    case("item-in-error", where=lambda code: _number(code) is not None, tailored=_tailored),
    case("item-told", where=is_told, tailored=_logged_tailored),
    case("tensor-formatted", where=lambda code: code.has(_formats)),
)
