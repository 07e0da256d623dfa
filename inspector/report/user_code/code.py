"""The user's code at a graph break, as syntax: what advice puts into its sentences."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.run.source import expression

# Longer expressions make a sentence unreadable; the excerpt shows them.
_MOST_SHOWN = 72


@dataclasses.dataclass(frozen=True, slots=True)
class Code:
    """The syntax around a break; nothing is known where the source is not.

    Attributes:
        expression: The expression that torch points at, or None where none has just its columns.
        function: The function around it, or None; all of it is there only where the file is.
        callers: The code of the compiled functions that led to it, innermost first.
        is_hook: Whether autograd calls the function, so that the user has no call of it.
    """

    statement: ast.stmt | None = None
    expression: ast.expr | None = None
    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    lines: tuple[str, ...] = ()
    callers: tuple[Code, ...] = ()
    is_hook: bool = False

    @property
    def call(self) -> ast.Call | None:
        """The call that torch points at, or None; without columns, a statement that is a call."""
        if self.expression is None and isinstance(self.statement, ast.Expr):
            return self.statement.value if isinstance(self.statement.value, ast.Call) else None
        return self.expression if isinstance(self.expression, ast.Call) else None

    def find(self, fits: Callable[[ast.expr], bool]) -> ast.expr | None:
        """The expression if it is as asked; else the only one in it (`nodes`) that is, or None."""
        if self.expression is not None and fits(self.expression):
            return self.expression
        found = [node for node in self.nodes() if isinstance(node, ast.expr) and fits(node)]
        return found[0] if len(found) == 1 else None

    def has(self, fits: Callable[[ast.expr], bool]) -> bool:
        """Whether an expression among `nodes` is as asked."""
        return any(isinstance(node, ast.expr) and fits(node) for node in self.nodes())

    @property
    def target(self) -> str:
        """The one name that the statement assigns to, or an empty string."""
        match self.statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name
        return ""

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes of the expression, or, where torch does not say which, of the statement."""
        return ast.walk(self.expression) if self.expression is not None else self.header()

    def header(self) -> Iterator[ast.AST]:
        """The nodes of the statement without those of the statements in it."""
        return header(self.statement) if self.statement is not None else iter(())

    def walk(self) -> Iterator[ast.AST]:
        """All nodes of the function."""
        return ast.walk(self.function) if self.function is not None else iter(())

    def shown(self, node: ast.AST | None) -> str:
        """A node as the user wrote it, on one line; empty where that is too long, or there is none.

        Nodes over several lines are shown as Python spells them.
        """
        if node is None:
            return ""
        try:
            text = self._written(node) or ast.unparse(node)
        except RecursionError:  # of an expression that nests deeply
            return ""
        return text if "\n" not in text and "`" not in text and len(text) <= _MOST_SHOWN else ""

    def parameters(self) -> frozenset[str]:
        """The names of the function's parameters."""
        return parameters_of(self.function.args) if self.function else frozenset()

    def stores(self, name: str) -> tuple[ast.Name, ...]:
        """Where the function sets a name."""
        found = (node for node in self.walk() if isinstance(node, ast.Name) and node.id == name)
        return tuple(node for node in found if not isinstance(node.ctx, ast.Load))

    def setters(self, name: str) -> list[ast.AST | None]:
        """What sets a name, each time: an assignment, a tuple of names, a loop."""
        parents = self.parents()
        return [parents.get(store) for store in self.stores(name)]

    def loads(self, name: str) -> tuple[ast.Name, ...]:
        """Where the function reads a name: above the statement too, which may be in a loop."""
        found = (node for node in self.walk() if isinstance(node, ast.Name) and node.id == name)
        return tuple(node for node in found if isinstance(node.ctx, ast.Load))

    def is_outer(self, name: str) -> bool:
        """Whether others than the function can read a name that it sets."""
        outer = (node for node in self.walk() if isinstance(node, ast.Global | ast.Nonlocal))
        return any(name in node.names for node in outer)

    def is_set_before(self, name: str) -> bool:
        """Whether a name certainly has a value at the statement, which the function gave it."""
        if self.function is None or self.statement is None:
            return False
        line = self.statement.lineno
        # A name that a branch or a loop sets may have no value.
        certain = [*self.function.body, *self.around()]
        return name in self.parameters() or any(
            isinstance(target, ast.Name) and target.id == name and statement.lineno < line
            for statement in certain
            if isinstance(statement, ast.Assign)
            for target in statement.targets
        )

    def around(self) -> list[ast.stmt]:
        """All statements of the block that the statement is in; empty where it is not known."""
        for node in self.walk() if self.statement else ():
            for name in ("body", "orelse", "finalbody"):
                statements = getattr(node, name, None)
                if isinstance(statements, list) and self.statement in statements:
                    return statements
        return []

    def parents(self) -> dict[ast.AST, ast.AST]:
        """What each node of the function is in."""
        return {child: parent for parent in self.walk() for child in ast.iter_child_nodes(parent)}

    def is_in_loop(self) -> bool:
        """Whether the statement is in a loop of the function."""
        return any(isinstance(node, ast.For | ast.While) for node in self.ancestors())

    def ancestors(self) -> Iterator[ast.AST]:
        """What the statement is in, the innermost first."""
        parents = self.parents()
        node = parents.get(self.statement) if self.statement else None
        while node is not None:
            yield node
            node = parents.get(node)

    def block(self) -> list[ast.stmt]:
        """The statement and those behind it in the same block; empty where they are not known."""
        around = self.around()
        return around[around.index(self.statement) :] if self.statement in around else []

    def _written(self, node: ast.AST) -> str:
        match node:
            case ast.expr(lineno=line, end_lineno=last, col_offset=begin, end_col_offset=end):
                if line == last and line <= len(self.lines):
                    text = self.lines[line - 1].encode()[begin:end].decode(errors="replace")
                    # Python ends lines where we do not, at a form feed for one.
                    made = expression(text)
                    return text if made and ast.unparse(made) == ast.unparse(node) else ""
        return ""


def header(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def names_of(node: ast.AST) -> frozenset[str]:
    """The names in an expression."""
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def parameters_of(arguments: ast.arguments) -> frozenset[str]:
    """The names of all parameters of a function or a lambda."""
    extra = [arguments.vararg, arguments.kwarg]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return frozenset(arg.arg for arg in (*named, *extra) if arg is not None)


def dotted_name(node: ast.expr) -> str:
    """``torch.where`` of the syntax for it; empty where it is no chain of names."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *names]) if isinstance(node, ast.Name) else ""


def replaced(value: ast.expr, new: Mapping[Any, ast.expr]) -> ast.expr:
    """A copy of an expression with other ones in the place of some of its nodes."""
    return copy.deepcopy(value, {id(old): each for old, each in new.items()})


def written(*patterns: str) -> Callable[[ast.AST | None], bool]:
    """Whether a node is the code of a pattern, in which `_` is any expression: ``int(_)``.

    ``_.size(*_, **_)`` is a call with any arguments.
    """
    trees = [ast.parse(pattern, mode="eval").body for pattern in patterns]
    return lambda node: any(_fits(tree, node) for tree in trees)


def _fits(pattern: Any, node: Any) -> bool:  # noqa: ANN401 - also fields of nodes
    match pattern:
        case ast.Name(id="_"):
            return isinstance(node, ast.expr)
        case ast.expr_context():
            return True
        case [*first, ast.Starred(value=ast.Name(id="_")) | ast.keyword(arg=None)]:
            return _fits(first, node[: len(first)])
        case list():
            return len(node) == len(pattern) and all(map(_fits, pattern, node))
        case ast.AST() if type(node) is type(pattern):
            parts = ast.iter_fields(pattern)
            return all(_fits(part, getattr(node, name)) for name, part in parts)
    return bool(pattern == node)


def called(node: ast.AST | None) -> str:
    """The name of the function or method that a call calls; empty for anything else."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name
    return ""


def attribute(*names: str) -> Callable[[ast.expr], bool]:
    """Whether an expression is ``something.name`` with one of the names."""
    return lambda node: isinstance(node, ast.Attribute) and node.attr in names
