"""Says how a call leaves compiled code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.code import Code, dotted_name, names_of
from inspector.advice.effects import is_pure, runs_once, writes_in_place

__all__ = ["call_before", "call_left", "in_the_caller"]

_OUTSIDE = "in the caller, outside of the compiled function"


def in_the_caller(code: Code) -> str:
    """Names what a call writes, which has to be returned so that the caller can do the call.

    Empty where the caller could not do the same: in a loop or a branch, or where a value may be
    written to in place, which shows when the call comes later.
    """
    call, shown = code.call, code.shown(code.call)
    if call is None or not shown or not _stands_alone(code) or not _is_known(code, call.func):
        return ""
    arguments = [*call.args, *(word.value for word in call.keywords)]
    values = [value for argument in arguments for value in _values(argument)]
    named = [f"`{code.shown(value)}`" for value in values if code.shown(value)]
    if len(named) != len(values) or not all(map(is_pure, values)):
        return ""
    if not named:
        return f"Move `{shown}` to the caller, outside of the compiled function."
    if writes_in_place(code):
        return ""
    again = {name for value in values for name in names_of(value) if _is_set_after(code, name)}
    what = " and ".join(dict.fromkeys(named))
    keep = f"Keep {what} in a variable here, return it" if again else f"Return {what}"
    return f"{keep} as well, and do `{shown}` {_OUTSIDE}."


def _stands_alone(code: Code) -> bool:
    """Whether the call is a statement of its own, which each call of the function runs once."""
    statement = code.statement
    return isinstance(statement, ast.Expr) and statement.value is code.call and runs_once(code)


def _is_known(code: Code, function: ast.expr) -> bool:
    """Whether the function is not one that the compiled function makes."""
    name = dotted_name(function).partition(".")[0]
    return bool(name) and not code.stores(name)


def _values(argument: ast.expr) -> Iterator[ast.expr]:
    """What an argument is made of, that only the compiled function knows."""
    match argument:
        case ast.Constant():
            return
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    yield part.value
                    if part.format_spec is not None:
                        yield from _values(part.format_spec)
        case _:
            yield argument


def _is_set_after(code: Code, name: str) -> bool:
    line = code.statement.lineno if code.statement else 0
    return any(store.lineno > line for store in code.stores(name))


def call_before(code: Code) -> str:
    """Says how a call's result comes from the caller; empty where that is not certain."""
    call, shown = code.call, code.shown(code.call)
    if call is None or not shown or not runs_once(code):
        return ""
    made = sorted(name for name in names_of(call) if code.stores(name))
    if made:
        names = " and ".join(f"`{name}`" for name in made)
        return (
            f"{names} {'is' if len(made) == 1 else 'are'} made inside: end the compiled function "
            f"above this line, call `{shown}` there, and compile the rest as a second function; or "
            "make the call an operator with `torch.library.custom_op`."
        )
    taken = sorted(names_of(call) & code.parameters())
    if taken and writes_in_place(code):
        return ""
    names = " and ".join(f"`{name}`" for name in taken)
    known = f", where {names} {'is' if len(taken) == 1 else 'are'} known" if taken else ""
    if _stands_alone(code):
        return f"Move `{shown}` to the caller, outside of the compiled function{known}."
    return f"Call `{shown}` {_OUTSIDE}{known}, and pass its result."


def call_left(code: Code) -> str:
    """Says that a call is the caller's, wherever in the function it stands; empty without one."""
    shown = code.shown(code.call)
    how = "as often and under the same conditions" if not runs_once(code) else ""
    said = f"Leave `{shown}` to the caller, outside of the compiled function"
    return f"{said}{', ' if how else ''}{how}." if shown else ""
