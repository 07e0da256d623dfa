"""Sizes that values of tensors have: whether Python decides by one, and what it skips then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.features.breaks.advice.advice import case
from inspector.features.recompiles.around_calls import under
from inspector.report.user_code.code import Code, called, dotted_name, header, names_of, written

# Their number of results depends on values, wherever the setting that captures one captures all.
_OPERATORS = frozenset({
    "argwhere", "bincount", "masked_select", "nonzero", "unique", "unique_consecutive",
})  # fmt: skip
_is_where = written("_.where(_)")


def is_selection(node: ast.AST) -> bool:
    """Whether it is a call of such an operator; `where` with one argument is one."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return _is_where(node) or (is_method and called(node) in _OPERATORS)


def decides_by_size(code: Code) -> bool:
    """Whether a branch or a loop of the function depends on what such an operator gave."""
    return any(True for _ in deciding_by_size(code))


def deciding_by_size(code: Code) -> Iterator[ast.stmt]:
    """The branches and loops of the function that depend on what such an operator gave.

    The operator is that of the statement, or any other of the function that is known to be one.
    What is computed of its result has sizes that depend on it, too.
    """
    statements = [node for node in code.walk() if isinstance(node, ast.stmt)]
    found: set[str] = set()
    for statement in sorted(statements, key=lambda node: node.lineno):
        nodes, deciding = list(header(statement)), list(_deciding(statement))
        is_deciding = bool(found & _names(deciding, ast.Load))
        is_own = code.statement is not None and statement.lineno == code.statement.lineno
        if is_own or any(map(is_selection, nodes)) or found & _names(nodes, ast.Load):
            is_deciding |= is_own and any(map(is_selection, deciding))
            found |= _names(nodes, ast.Store)
        if is_deciding:
            yield statement


def _names(nodes: list[ast.AST], context: type[ast.expr_context]) -> set[str]:
    names = (node for node in nodes if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, context)}


def _deciding(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of what a statement decides by: its test, what it loops over."""
    for node in header(statement):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from () if _is_identity(test) else ast.walk(test)
            case ast.For(iter=over) | ast.comprehension(iter=over):
                # A loop that runs as often as there are items: over a tensor, or over numbers.
                is_other = isinstance(over, ast.Call) and dotted_name(over.func) not in _LOOPING
                yield from () if is_other else ast.walk(over)


_is_identity = written("_ is _", "_ is not _")  # which asks for no size
_LOOPING = frozenset({"enumerate", "range", "zip"})


def caution(code: Code, instead: str = "") -> str:
    """What differs where the size is 1 and something is squeezed; empty where nothing is.

    Without knowing it, torch takes such a size for another number than 1, and Inductor keeps the
    dimension (2.11 to 2.13; tried). Where a 1 is broadcast it raises.
    """
    calls = [node for node in code.walk() if isinstance(node, ast.Call)]
    squeezes = (call for call in calls if called(call) in {"squeeze", "squeeze_"})
    call = min(squeezes, key=lambda node: (node.lineno, node.col_offset), default=None)
    if call is None:
        return ""
    is_any = not call.args and not call.keywords
    ways = ["name the dimension if another is meant (`squeeze(-1)`)"] if is_any else []
    ways += [instead] if instead else []
    then = f": {'; or '.join(ways)}" if ways else ""
    shown = code.shown(call) or "squeeze"
    return f"Where `{shown}` meets this size, and it is 1, Inductor keeps the dimension{then}."


_SETTING = "capture_dynamic_output_shape_ops=True"
_SET = f"and use {under(_SETTING)}: how many are selected is then a symbol of the graph"
_NOTHING = "with nothing selected it works on no rows, and changes nothing"
_IN_STEP = "a step with nothing selected works on no rows, and changes nothing"


def _skips_alone(code: Code) -> bool:
    """Whether all that is decided by a size is whether there is anything."""
    deciding = list(deciding_by_size(code))
    return bool(deciding) and all(map(_skips, deciding))


def _visits_alone(code: Code) -> bool:
    """Whether there is a loop over what is hit, and nothing else but skipping.

    In it, which of them it is may be asked as well: of a Python number Python knows.
    """
    deciding = list(deciding_by_size(code))
    loops = [item for item in deciding if _visits(item)]
    asked = [item for loop in loops for item in ast.walk(loop) if _asks_which(item, loop)]
    if isinstance(code.statement, ast.If) and code.statement not in asked:
        return False  # a branch that breaks the graph for another reason
    return bool(loops) and all(item in loops or item in asked or _skips(item) for item in deciding)


def _asks_which(node: ast.AST, loop: ast.stmt) -> bool:
    """``if expert == self.last: …`` in a loop over experts."""
    match node, loop:
        case ast.If(test=test), ast.For(target=ast.Name(id=target)):
            return target in names_of(test) <= {target, "self"}
    return False


def _visits(statement: ast.stmt) -> bool:
    """A loop over what an operator found, in which each step selects what it works on."""
    if not isinstance(statement, ast.For) or not isinstance(statement.iter, ast.Name):
        return False
    return any(is_selection(node) for item in statement.body for node in ast.walk(item))


def _skips(statement: ast.stmt) -> bool:
    """``if rows.numel() == 0: continue``, or ``if len(rows): …``."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    if _is_empty(statement.test):
        return [type(item) for item in statement.body] == [ast.Continue]
    leaves = (ast.Return, ast.Break, ast.Continue, ast.Raise)
    inner = (node for item in statement.body for node in ast.walk(item))
    return _is_filled(statement.test) and not any(isinstance(node, leaves) for node in inner)


_SIZES = ("_.numel()", "_.nelement()", "_.size(0)", "len(_)", "_.shape[0]")
_is_empty = written(*(f.format(s) for s in _SIZES for f in ("not {}", "{} == 0", "{} < 1")))
_is_filled = written(*(f.format(s) for s in _SIZES for f in ("{}", "{} > 0", "{} != 0", "{} >= 1")))


def _skip_tailored(code: Code) -> str:
    tests = [item.test for item in deciding_by_size(code) if isinstance(item, ast.If)]
    shown = {code.shown(test) for test in tests} - {""}
    if len(shown) != 1:
        return ""
    return f"Take the step in any case, without the test `{shown.pop()}` ({_NOTHING}), {_SET}."


def _visit_tailored(code: Code) -> str:
    loops = [item for item in deciding_by_size(code) if isinstance(item, ast.For)]
    over = code.shown(loops[0].iter) if len(loops) == 1 else ""
    if not over:
        return ""
    return (
        f"Loop over all that there are instead of over `{over}`, with a Python number from "
        f"`range(…)` ({_IN_STEP}), {_SET}."
    )


ADVICE = (
    case("empty-selection", where=_skips_alone, tailored=_skip_tailored),
    case("loop-over-hits", where=_visits_alone, tailored=_visit_tailored),
)
