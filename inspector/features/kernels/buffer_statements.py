"""The statements of Inductor's output code that do something with buffers.

The code is Python (torch/_inductor/codegen/wrapper.py, 2.11 to 2.13), and read as such. It is never
run: it comes from logs.
"""

import ast
import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence

ALLOCATES = "empty_strided"
RENAMES = "reinterpret_tensor"
ASSERTS = "assert_size_stride"
_PARTS = ("call", "partition_", "subgraph_", "repeated_")
_NO_CALLS = ("get_raw_stream", "assert_alignment", "args.clear", "torch.cuda.set_device")


class Kind(enum.Enum):
    """What a statement does with buffers."""

    ALLOCATION = 1
    RENAME = 2
    """Another name, or another shape, of memory whose name goes: ``buf1 = buf0; del buf0``."""
    RESULT = 3
    PART = 4
    CALL = 5
    ALIAS = 6
    """A part of memory that keeps its name: what is concatenated is written to its place."""


@dataclasses.dataclass(frozen=True, slots=True)
class Statement:
    """One statement that does something with buffers."""

    line: int
    function: int
    kind: Kind
    name: str
    used: frozenset[str]
    shape: tuple[int, ...] = ()
    dtype: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """How a tensor lies; strides, in elements, are empty where they are not known."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] = ()


def deleted_names(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The lines and names of ``del buf1``."""
    for node in body:
        for target in node.targets if isinstance(node, ast.Delete) else ():
            if isinstance(target, ast.Name):
                yield node.lineno, target.id


def functions_in(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions with a graph's statements: ``call``, and those of its parts."""
    for statement in module.body:
        for item in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            if isinstance(item, ast.FunctionDef) and item.name.startswith(_PARTS):
                yield item


def simple_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, also those within ``with``, ``if`` and loops."""
    for statement in body:
        inner = [*getattr(statement, "body", ()), *getattr(statement, "orelse", ())]
        if inner:
            yield from simple_statements(inner)
        else:
            yield statement


def statements_of(
    node: ast.stmt, function: int, called: set[int], deleted: set[tuple[int, str]]
) -> Iterator[Statement]:
    """What a statement does with buffers, if anything."""
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr) or isinstance(node, ast.Return):
        return
    used = frozenset(item.id for item in ast.walk(value) if isinstance(item, ast.Name))
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else ""
    what = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    goes = any((node.lineno, item) in deleted for item in used)
    shape: tuple[int, ...] = ()
    kind, dtype = None, ""
    if isinstance(value, ast.Call) and what.rpartition(".")[2].startswith(ALLOCATES) and name:
        kind = Kind.ALLOCATION
        shape = _numbers(value.args[0]) if value.args else ()
        dtype = ast.unparse(value.args[2]) if len(value.args) > 2 else ""  # noqa: PLR2004
    elif name and (what == RENAMES or isinstance(value, ast.Name)):
        kind = Kind.RENAME if goes else Kind.ALIAS
    elif what and (node.lineno in called or not what.startswith((ASSERTS, *_NO_CALLS))):
        kind = Kind.RESULT if name else Kind.CALL
    elif isinstance(value, ast.Subscript) and name:
        kind = Kind.PART
    if kind is not None:
        dtype = dtype.removeprefix("torch.")
        yield Statement(node.lineno, function, kind, name, used, shape, dtype)


def asserted_layout(node: ast.stmt) -> dict[str, Layout]:
    """The layout of a library's result, which the code checks."""
    call = node.value if isinstance(node, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and ast.unparse(call.func) == ASSERTS
        and len(call.args) > 1
        and isinstance(call.args[0], ast.Name)
    ):
        strides = _numbers(call.args[2]) if len(call.args) > 2 else ()  # noqa: PLR2004
        return {call.args[0].id: Layout(_numbers(call.args[1]), strides)}
    return {}


def _numbers(node: ast.expr) -> tuple[int, ...]:
    """A shape; none where it has symbols."""
    found = node.elts if isinstance(node, ast.Tuple) else []
    sizes = [item.value for item in found if isinstance(item, ast.Constant)]
    whole = [size for size in sizes if isinstance(size, int)]
    return tuple(whole) if len(whole) == len(found) else ()


def buffer_of(node: ast.expr) -> str:
    """The buffer that an expression is or views."""
    if isinstance(node, ast.Call) and node.args:
        return buffer_of(node.args[0])
    return node.id if isinstance(node, ast.Name) else ""
