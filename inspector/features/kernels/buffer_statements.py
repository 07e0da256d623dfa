"""The statements of Inductor's output code that do something with buffers.

The code is Python (torch/_inductor/codegen/wrapper.py, 2.11 to 2.13), and read as such. It is never
run: it comes from logs.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.kernels.generated_source import output_module
from inspector.run.kernel import GraphCode

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


@dataclasses.dataclass(frozen=True, slots=True)
class Code:
    """What is read of a module.

    Attributes:
        returned: The names of what it returns, in order; empty where that is no buffer.
        layouts: Of results of libraries, by name: the code checks them.
    """

    taken: tuple[str, ...]
    returned: tuple[str, ...]
    statements: tuple[Statement, ...]
    layouts: Mapping[str, Layout]
    is_cuda: bool


def read_code(text: str, code: GraphCode) -> Code:
    """Reads the output code of one graph; `ValueError` where it is no Python (cut off, say)."""
    module = output_module(text)
    called = {call.line for call in code.calls}
    statements: list[Statement] = []
    layouts: dict[str, Layout] = {}
    taken: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    for number, function in enumerate(_functions(module)):
        body = list(_simple(function.body))
        deleted, is_call = set(deleted_names(body)), function.name == "call"
        for node in body:
            statements += _statement(node, number, called, deleted)
            layouts |= _asserted(node)
            match node:
                case ast.Assign(targets=[target], value=ast.Name(id="args")) if is_call:
                    # `primals_1, primals_2 = args`
                    names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                    taken = tuple(item.id for item in names if isinstance(item, ast.Name))
                case ast.Return(value=ast.Tuple(elts=values)) if is_call and values:
                    returned = tuple(map(_buffer, values))
    statements.sort(key=lambda item: item.line)
    return Code(taken, returned, tuple(statements), layouts, "torch.cuda._DeviceGuard" in text)


def deleted_names(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The lines and names of ``del buf1``."""
    for node in body:
        for target in node.targets if isinstance(node, ast.Delete) else ():
            if isinstance(target, ast.Name):
                yield node.lineno, target.id


def _functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    for statement in module.body:
        for item in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            if isinstance(item, ast.FunctionDef) and item.name.startswith(_PARTS):
                yield item


def _simple(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, also those within ``with``, ``if`` and loops."""
    for statement in body:
        inner = [*getattr(statement, "body", ()), *getattr(statement, "orelse", ())]
        if inner:
            yield from _simple(inner)
        else:
            yield statement


def _statement(
    node: ast.stmt, function: int, called: set[int], deleted: set[tuple[int, str]]
) -> Iterator[Statement]:
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


def _asserted(node: ast.stmt) -> dict[str, Layout]:
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


def _buffer(node: ast.expr) -> str:
    """The buffer that an expression is or views."""
    if isinstance(node, ast.Call) and node.args:
        return _buffer(node.args[0])
    return node.id if isinstance(node, ast.Name) else ""
