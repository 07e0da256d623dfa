"""Statements that report: print, log, warn, keep a number."""

import ast
import re
from collections.abc import Sequence

from inspector.features.breaks.advice.moving import in_the_caller
from inspector.features.breaks.advice.numbers import is_number_of, is_scalar, tensor_of
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, dotted_name

# `print`, `warnings.warn`, `logger.warning_once`, `rank_zero_warn`, `sys.stderr.write`.
_REPORTS = re.compile(
    r"(?:^|_)(?:critical|debug|error|exception|fatal|flush|info|log|log_dict|log_metrics|pprint"
    r"|print|warn|warning|write|writelines)(?:_once)?$"
)
# The same, and methods that keep what they are given: `history.append`, `writer.add_scalar`.
_KEEPS = re.compile(
    rf"^(?:append|appendleft|extend|format|repr|setdefault|str|update)$|^add_scalars?$"
    rf"|{_REPORTS.pattern}"
)
_COMPUTE = ("F.", "cmath.", "math.", "np.", "numpy.", "torch.")  # `math.log` reports nothing
_ROUNDS = frozenset({"abs", "float", "int", "round"})


def only_reports(code: Code) -> bool:
    """Whether both sides of a branch do nothing but print, log or warn, perhaps only once."""
    statement = code.statement
    if not isinstance(statement, ast.If):
        return False
    sides = [*statement.body, *statement.orelse]
    return reports(code, [each for each in sides if not _is_flag(statement.test, each)])


def _is_flag(test: ast.expr, statement: ast.stmt) -> bool:
    """Whether a flag is set that the condition asks for: ``self.warned = True``."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=ast.Constant(value=bool())):
            attributes = (node for node in ast.walk(test) if isinstance(node, ast.Attribute))
            return any(dotted_name(node) == dotted_name(target) for node in attributes)
    return False


def reports(code: Code, statements: Sequence[ast.stmt]) -> bool:
    """Whether statements that belong together only print, log or warn, at least once.

    They may set names that nobody reads but they themselves.
    """
    inner = {id(node) for statement in statements for node in ast.walk(statement)}
    return any(map(_is_report, statements)) and all(
        _is_report(statement) or _only_names(code, statement, inner) for statement in statements
    )


def _is_report(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return _REPORTS.search(name) is not None
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            return all(_is_report(inner) for inner in (*body, *orelse))
    return False


def _only_names(code: Code, statement: ast.stmt, inner: set[int]) -> bool:
    """Whether a statement does nothing, or sets names that are read in the branch alone."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return all(id(load) in inner for load in code.loads(name))
    return False


def is_reported(code: Code) -> bool:
    """Whether all that is done with the number is to report it or to keep it, or it is a text."""
    number = _number(code)
    if number is not None and code.function is not None and _Uses(code).are_reported(number):
        return True
    return (isinstance(code.statement, ast.Raise) and number is not None) or code.has(_formats)


def _formats(node: ast.AST) -> bool:
    """``"%.1f" % total``."""
    match node:
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
            return True
    return False


def _number(code: Code) -> ast.expr | None:
    """The expression that makes the number: ``x.sum().item()``, ``float(x.sum())``."""
    return code.find(lambda node: is_number_of(node, "int", "float"))


class _Uses:
    """Follows a number."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._parents = code.parents()
        self._followed: set[str] = set()

    def are_reported(self, node: ast.AST) -> bool:
        """Whether what an expression gives is reported or kept, and nothing is computed with it."""
        parent = self._parents.get(node)
        match parent:
            case ast.FormattedValue() | ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
                return True
            case ast.keyword() | ast.Dict() | ast.Tuple() | ast.List() | ast.UnaryOp():
                return self.are_reported(parent)
            case ast.BinOp(left=left, right=right):
                other = right if left is node else left
                return isinstance(other, ast.Constant) and self.are_reported(parent)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return self._takes(name, parent, node)
        return self._is_kept(parent)

    def _is_kept(self, parent: ast.AST | None) -> bool:
        """Whether a statement gives it away, or gives it a name that is only reported."""
        match parent:
            case ast.Return():
                # What a function gives that was called here is for its caller to use.
                return not self._code.callers
            case ast.Assign(targets=[ast.Name(id=name)]):
                return self._is_name_reported(name)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                # What the function itself made may be for the function.
                return not self._code.stores(name) or self._is_name_reported(name)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return True
        return False

    def _takes(self, name: str, call: ast.Call, node: ast.AST) -> bool:
        if node is call.func or dotted_name(call.func).startswith(_COMPUTE):
            return False
        is_rounded = name in _ROUNDS and self.are_reported(call)
        # Nothing is made of what the call gives, nor does it write to a tensor.
        for_effect = isinstance(self._parents.get(call), ast.Expr) and not name.endswith("_")
        return _KEEPS.search(name) is not None or is_rounded or for_effect

    def _is_name_reported(self, name: str) -> bool:
        if name in self._followed:
            return True
        self._followed.add(name)
        loads = [load for load in self._code.loads(name) if not self._is_stored_into(load)]
        return not self._code.is_outer(name) and all(map(self.are_reported, loads))

    def _is_stored_into(self, load: ast.expr) -> bool:
        """``results["n"] = …``."""
        parent = self._parents.get(load)
        return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)


def number_in_the_caller(code: Code) -> str:
    """How a number is made where it is reported."""
    number = _number(code)
    if moved := in_the_caller(code):
        return moved
    tensor = tensor_of(number)
    new, old = code.shown(tensor), code.shown(number)
    if tensor is None or not new or not old or isinstance(code.statement, ast.Raise):
        return ""
    whole = f"{new}.detach()" if is_scalar(tensor) else f"{new}.detach().clone()"
    return (
        f"Return or store `{whole}` instead of `{old}`. Call `.item()` and print, log or plot the "
        "number in the caller: the value exists only after the graph has run."
    )


def ignored_method(code: Code) -> str:
    """How to leave out the very logging method that is called: others do not count."""
    if code.call is None or not isinstance(code.call.func, ast.Attribute):
        return ""
    setting = f"ignore_logging_functions={{logging.Logger.{code.call.func.attr}}}"
    return (
        f"If you do not need the log message: {under(setting)} removes every call of this method "
        "from compiled code."
    )
