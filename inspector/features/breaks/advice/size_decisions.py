"""Branches and loops that depend on how much an operator found in a tensor."""

import ast
from collections.abc import Iterator

from inspector.report.user_code.code import Code, called, dotted_name, header, names_of, written

# Without an argument of its own, `where` finds indices.
is_where = written("_.where(_)")
# Their number of results depends on values, wherever the setting that captures one captures all.
_SELECTING = frozenset(
    {"argwhere", "bincount", "masked_select", "nonzero", "unique", "unique_consecutive"}
)
_SIZES = ("_.numel()", "_.nelement()", "_.size(0)", "len(_)", "_.shape[0]")
_is_size = written(*_SIZES)
_is_empty = written(*(f.format(s) for s in _SIZES for f in ("not {}", "{} == 0", "{} < 1")))
_is_filled = written(*(f.format(s) for s in _SIZES for f in ("{}", "{} > 0", "{} != 0", "{} >= 1")))
_is_identity = written("_ is _", "_ is not _")  # which asks for no size
_LOOPING = frozenset({"enumerate", "range", "zip"})


def in_loop_by_size(code: Code) -> bool:
    """Whether the statement is in a loop that goes on while something has elements."""
    loops = [node for node in code.ancestors() if isinstance(node, ast.While)]
    loops += [code.statement] if isinstance(code.statement, ast.While) else []
    return any(any(map(_is_size, ast.walk(loop.test))) for loop in loops)


def deciding_by_size(code: Code) -> Iterator[ast.stmt]:
    """The branches and loops that depend on what an operator of unknown size gave.

    What is computed of its result has sizes that depend on it, too.
    """
    statements = [node for node in code.walk() if isinstance(node, ast.stmt)]
    found: set[str] = set()
    for statement in sorted(statements, key=lambda node: node.lineno):
        nodes, deciding = list(header(statement)), list(_deciding(statement))
        is_deciding = bool(found & _names(deciding, ast.Load))
        is_own = code.statement is not None and statement.lineno == code.statement.lineno
        if is_own or any(map(_is_selection, nodes)) or found & _names(nodes, ast.Load):
            is_deciding |= is_own and any(map(_is_selection, deciding))
            found |= _names(nodes, ast.Store)
        if is_deciding:
            yield statement


def _is_selection(node: ast.AST) -> bool:
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_where(node) or (is_method and called(node) in _SELECTING)


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


def skips_alone(code: Code) -> bool:
    """Whether all that is decided by a size is whether there is anything."""
    deciding = list(deciding_by_size(code))
    return bool(deciding) and all(map(_skips, deciding))


def _skips(statement: ast.stmt) -> bool:
    """``if rows.numel() == 0: continue``, or ``if len(rows): …``."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    if _is_empty(statement.test):
        return [type(item) for item in statement.body] == [ast.Continue]
    leaves = (ast.Return, ast.Break, ast.Continue, ast.Raise)
    inner = (node for item in statement.body for node in ast.walk(item))
    return _is_filled(statement.test) and not any(isinstance(node, leaves) for node in inner)


def visits_alone(code: Code) -> bool:
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
    return any(_is_selection(node) for item in statement.body for node in ast.walk(item))
