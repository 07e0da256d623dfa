"""Says how a call leaves compiled code."""

import ast
import itertools
from collections.abc import Iterator

from inspector.features.breaks.advice.effects import (
    is_pure,
    leaves_early,
    runs_once,
    writes_in_place,
)
from inspector.features.breaks.advice.numbers import is_number_of, tensor_of
from inspector.report.user_code.code import Code, dotted_name, names_of

_OUTSIDE = "in the caller, outside the compiled function"


def in_the_caller(code: Code) -> str:
    """Names what a call writes, which has to be returned so that the caller can do the call.

    Empty where the caller could not do the same: in a loop, or where a value may be written to in
    place, which shows when the call comes later. A number that is made of a tensor for the call is
    made in the caller.
    """
    call = None if code.is_hook else _statement_call(code)
    if call is None or not _is_done_at_most_once(code) or not _is_known(code, call.func):
        return ""
    shown = code.shown(call)
    what = f"`{shown}`" if shown else f"the call on line {call.lineno}"
    how = "" if runs_once(code) else ", under the same conditions"
    arguments = [*call.args, *(word.value for word in call.keywords)]
    values = [value for argument in arguments for value in _values(code, argument)]
    named = [f"`{code.shown(node)}{then}`" for node, then in values if code.shown(node)]
    if len(named) != len(values) or not all(is_pure(node) for node, _ in values):
        return ""
    if not named:
        return f"Move {what} to the caller, outside the compiled function{how}."
    if writes_in_place(code):
        return ""
    again = {
        name for node, _ in values for name in names_of(node) if _is_set_after(code, name)
    }  # fmt: skip
    kept = " and ".join(dict.fromkeys(named))
    keep = f"Keep {kept} in a variable here, return it" if again else f"Return {kept}"
    numbers = ", and call `item()` there" if any(then for _, then in values) else ""
    return f"{keep} as well, and run {what} {_OUTSIDE}{how}{numbers}."


def _is_done_at_most_once(code: Code) -> bool:
    """Whether a call of the function runs the statement once, or not where a branch decides so."""
    around = itertools.dropwhile(lambda node: isinstance(node, ast.If), code.ancestors())
    is_plain = next(around, None) is code.function
    return code.function is not None and is_plain and not leaves_early(code)


def _statement_call(code: Code) -> ast.Call | None:
    """The call that is a statement of its own, at which or in which the graph breaks."""
    match code.statement:
        case ast.Expr(value=ast.Call() as call):
            inner = {id(node) for node in ast.walk(call)}
            return call if code.expression is None or id(code.expression) in inner else None
    return None


def _is_known(code: Code, function: ast.expr) -> bool:
    """Whether the function is not one that the compiled function makes."""
    name = dotted_name(function).partition(".")[0]
    return bool(name) and not code.stores(name)


def _values(code: Code, argument: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """What an argument is made of, that only the compiled function knows, and what to return."""
    match argument:
        case ast.Constant():
            return
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    yield from _values(code, part.value)
                    if part.format_spec is not None:
                        yield from _values(code, part.format_spec)
        case _ if any(map(_is_number, ast.walk(argument))):
            yield from _of_numbers(code, argument)
        case _:
            yield argument, ""


def _of_numbers(code: Code, argument: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """The tensors of which numbers are made in an argument, and what else the function made."""
    numbers = [node for node in ast.walk(argument) if _is_number(node)]
    within = {id(inner) for number in numbers for inner in ast.walk(number)}
    for number in numbers:
        tensor = tensor_of(number)
        if tensor is not None and not any(map(_is_number, ast.walk(tensor))):
            yield tensor, ".detach()"
    for node in ast.walk(argument):
        if isinstance(node, ast.Name) and id(node) not in within and code.stores(node.id):
            yield node, ""


def _is_number(node: ast.AST) -> bool:
    return is_number_of(node, "float", "int")


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
            f"The call needs {names} from inside the function. End the compiled function above "
            f"this line, call `{shown}` in the caller, and compile the rest as a second function. "
            "Or "
            "wrap the call in a custom operator (`torch.library.custom_op`)."
        )
    taken = sorted(names_of(call) & code.parameters())
    if taken and writes_in_place(code):
        return ""
    names = " and ".join(f"`{name}`" for name in taken)
    known = f", where {names} {'is' if len(taken) == 1 else 'are'} known" if taken else ""
    if isinstance(code.statement, ast.Expr) and code.statement.value is call:
        return f"Move `{shown}` to the caller, outside the compiled function{known}."
    return f"Call `{shown}` {_OUTSIDE}{known}, and pass its result."


def call_left(code: Code) -> str:
    """Says that a call is the caller's, wherever in the function it is; empty without one."""
    shown = code.shown(code.call)
    how = ", and call it there the same number of times and under the same conditions"
    said = f"Move `{shown}` to the caller, outside the compiled function"
    return f"{said}{'' if runs_once(code) else how}." if shown else ""
