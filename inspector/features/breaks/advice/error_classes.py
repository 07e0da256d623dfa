"""Exceptions whose class has an ``__init__``, of which Dynamo does not trace the builtin one."""

from __future__ import annotations

import ast
import builtins
import dataclasses

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.caught import Catcher, catcher
from inspector.report.user_code.code import Code, dotted_name
from inspector.run.source import parsed

# Their own `__init__` does more than to set `args` (Objects/exceptions.c, CPython 3.10 to 3.14).
_MORE = (OSError, ImportError, StopIteration, SystemExit, SyntaxError, UnicodeError,
         AttributeError, NameError)  # fmt: skip


def _leaves(code: Code) -> bool:
    """Whether the line raises what nothing catches, or makes it where its class is traced."""
    is_raised = _made(code) is not None and isinstance(_raising(code).statement, ast.Raise)
    return isinstance(code.statement, ast.Raise) or (is_raised and _catcher(code) is None)


def _catcher(code: Code) -> Catcher | None:
    """What catches the error in the compiled code, and goes on."""
    raising = _raising(code)
    error = raising.statement if _made(code) is not None else None
    return catcher(raising, error) if isinstance(error, ast.Raise) else None


def _raising(code: Code) -> Code:
    """The code that makes the error: a class calls the ``__init__`` of the one below it."""
    callers = code.callers
    while callers and callers[0].function is not None and callers[0].function.name == "__init__":
        callers = callers[1:]
    return dataclasses.replace(callers[0], callers=callers[1:]) if callers else Code()


def _made(code: Code) -> ast.Call | None:
    """``super().__init__(…)``, or ``ValueError.__init__(self, …)``, of an exception's class."""
    match code.statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="__init__")) as call):
            if code.function is None or code.function.name != "__init__":
                return None
            is_super = isinstance(owner, ast.Call) and dotted_name(owner.func) == "super"
            is_error = _is_error(code) if is_super else _is_plain(dotted_name(owner)) is True
            return call if is_error else None
    return None


def _is_error(code: Code) -> bool:
    """Whether the class is an exception: by its bases, or else as it is raised."""
    tree = parsed("\n".join(code.lines)) or ast.Pass()
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    line = code.function.lineno if code.function else 0
    own = [
        node for node in classes if any(getattr(item, "lineno", 0) == line for item in node.body)
    ]
    known = _by_bases(own[0], {node.name: node for node in classes}) if own else None
    return isinstance(_raising(code).statement, ast.Raise) if known is None else known


def _by_bases(own: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool | None:
    """Whether it is an exception without more in its ``__init__``; None where that is unknown."""
    seen: set[str] = set()
    node: ast.ClassDef | None = own
    while node is not None and node.bases and node.name not in seen:
        seen.add(node.name)
        base = dotted_name(node.bases[0])
        node = classes.get(base)
        if node is None:
            return _is_plain(base)
    return None if node is None or node.bases else False


def _is_plain(name: str) -> bool | None:
    """Whether a builtin class is an exception with the plain ``__init__``; None of any other."""
    base = getattr(builtins, name, None)
    if not isinstance(base, type):
        return None
    return issubclass(base, BaseException) and not issubclass(base, _MORE)


def _tailored(code: Code) -> str:
    """The line in place of the call, with its arguments."""
    call = _made(code)
    if call is None or call.keywords or code.function is None:
        return ""
    names = [argument.arg for argument in code.function.args.args[:1]]
    is_super = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
    arguments = call.args if is_super else call.args[1:]
    written, shown = code.shown(call), [code.shown(argument) for argument in arguments]
    if not names or not written or not all(shown):
        return ""
    line = f"{names[0]}.args = ({', '.join(shown)}{',' if len(shown) == 1 else ''})"
    return f"Write `{line}` in place of `{written}`: {_WHY}{_read(code)}"


def _read(code: Code) -> str:
    """What else is to be written where the handler reads more than the error's own attributes."""
    found = _catcher(code)
    handler = found.node if found is not None else None
    name = handler.name if isinstance(handler, ast.ExceptHandler) else None
    if handler is None or name is None:
        return ""
    loads = [node for node in ast.walk(handler) if isinstance(node, ast.Name) and node.id == name]
    own = [
        node
        for node in ast.walk(handler)
        if isinstance(node, ast.Attribute) and node.value in loads and node.attr != "args"
    ]
    return f" {_ATTRIBUTES}" if len(own) < len(loads) else ""


_WHY = (
    "that is all that the builtin `__init__` of an exception does, and Dynamo traces it, so that "
    "the error can be raised and caught in one graph."
)
# Tried: each torch has other values of these two, and none says so.
_ATTRIBUTES = (
    "Of such an error compiled code has wrong values of `str(error)` and `error.args`: keep what "
    "the `except` reads in attributes of its own (`self.message = …`, `error.message`)."
)


ADVICE = (
    case("frame-inspection"),
    case("exception-leaves", where=_leaves),
    case("exception-init", where=lambda code: _catcher(code) is not None, tailored=_tailored),
)
