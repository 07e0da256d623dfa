"""The buffers of Inductor's output code: which statement makes, renames and fills each.

The code is Python (torch/_inductor/codegen/wrapper.py, 2.11 to 2.13), and read as such. It is never
run: it comes from logs.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import math
import re
from collections.abc import Iterator, Sequence

from inspector.model.kernel import GraphCode

__all__ = ["Buffer", "Buffers", "read_buffers", "result_names", "saved_names"]

_ALLOCATES = "empty_strided"
_RENAMES = "reinterpret_tensor"
_ASSERTS = "assert_size_stride"
_TANGENTS = "tangents_"
_PARTS = ("partition_", "subgraph_", "repeated_")
_NO_CALLS = ("get_raw_stream", "assert_alignment", "args.clear", "torch.cuda.set_device")
_BITS = re.compile(r"^b?float(\d+)$")
_ROUNDED_BYTES = 512  # of the allocator for CUDA


class _Kind(enum.Enum):
    ALLOCATION = 1
    RENAME = 2
    RESULT = 3
    PART = 4
    CALL = 5


@dataclasses.dataclass(frozen=True, slots=True)
class _Statement:
    """One statement that does something with buffers."""

    line: int
    function: int
    kind: _Kind
    name: str
    used: frozenset[str]
    shape: tuple[int, ...] = ()
    dtype: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Buffer:
    """Memory that a statement allocates.

    Attributes:
        names: The names that it has one after another; none of what a library needs while it runs.
        shape: Its shape when it is made, as far as the code has numbers.
        dtype: Its dtype, or an empty string.
        filled_by: The line of the statement that computes what is in it then, or 0.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...] = ()
    dtype: str = ""
    filled_by: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Buffers:
    """The buffers of a module.

    Attributes:
        taken: The names of what the graph takes.
        returned: The names of what it returns, in order; empty where that is no buffer.
    """

    taken: tuple[str, ...]
    returned: tuple[str, ...]
    _statements: tuple[_Statement, ...]
    _shapes: dict[str, tuple[int, ...]]

    def at(self, line: int, bytes_: int, until: int = 0) -> Buffer | None:
        """What a statement allocates, or None where it is not known.

        Args:
            line: The statement's line.
            bytes_: How much: a statement with several results allocates each.
            until: The line that is being run, or 0 for the end of the code.
        """
        own = [item for item in self._statements if item.line == line]
        made = [item for item in own if item.kind in {_Kind.ALLOCATION, _Kind.RESULT}]
        if not made:
            return Buffer(()) if any(item.kind is _Kind.CALL for item in own) else None
        first = self._result(made[0], bytes_)
        return self._followed(first, until or 1 << 60)

    def _result(self, statement: _Statement, bytes_: int) -> _Statement:
        """The result that is so large, of several; each is an item of the statement's.

        Their dtypes are not in the code: those of its other buffers are tried.
        """
        parts = [
            item
            for item in self._statements
            if item.kind is _Kind.PART and statement.name in item.used
            and item.function == statement.function
        ]  # fmt: skip
        sizes = {
            item.dtype: int(bits[0]) // 8
            for item in self._statements
            if (bits := _BITS.findall(item.dtype))
        }
        for part in parts:
            shape = self._shapes.get(part.name)
            for dtype, size in sizes.items():
                if shape is not None and _fits(shape, size, bytes_):
                    return dataclasses.replace(
                        part, line=statement.line, kind=statement.kind, dtype=dtype
                    )
        return statement

    def _followed(self, first: _Statement, until: int) -> Buffer:
        names = [first.name]
        filled_by = first.line if first.kind is _Kind.RESULT else 0
        is_waited = first.kind is _Kind.ALLOCATION
        for item in self._statements:
            after = first.line < item.line <= until and item.function == first.function
            if not after or names[-1] not in item.used:
                continue
            if item.kind is _Kind.RENAME:
                names.append(item.name)
                is_waited = True
            elif item.kind is not _Kind.PART and is_waited:
                # The first that a new name is given to writes to it; further ones read it.
                filled_by, is_waited = item.line, False
        shape = first.shape or self._shapes.get(first.name, ())
        return Buffer(tuple(names), shape, first.dtype, filled_by)


def _fits(shape: Sequence[int], item_bytes: int, bytes_: int) -> bool:
    size = math.prod(shape) * item_bytes
    return bytes_ in {size, -(-size // _ROUNDED_BYTES) * _ROUNDED_BYTES}


def saved_names(forward: Buffers, backward: Buffers) -> dict[str, str]:
    """What a forward pass keeps for its backward pass: the buffer, and its name in the graphs.

    The forward code returns its results first, and then what the backward code takes before the
    gradients of the results (``_extract_fwd_bwd_modules`` in torch/_functorch/partitioners.py).
    """
    taken = _taken_back(backward)
    kept = forward.returned[len(result_names(forward, backward)) :]
    return {buffer: name for buffer, name in zip(kept, taken, strict=False) if buffer}


def result_names(code: Buffers, backward: Buffers | None) -> tuple[str, ...]:
    """The buffers that a graph returns as results.

    Args:
        code: The graph's.
        backward: Of a forward pass, its backward pass; else None.
    """
    kept = len(_taken_back(backward)) if backward is not None else 0
    return code.returned[: max(0, len(code.returned) - kept)]


def _taken_back(backward: Buffers) -> list[str]:
    return [name for name in backward.taken if not name.startswith(_TANGENTS)]


def read_buffers(text: str, code: GraphCode) -> Buffers:
    """Reads the output code of one graph.

    Args:
        text: The code.
        code: The same as it is read already, for its calls.

    Raises:
        ValueError: It is no Python (cut off, say).
    """
    try:
        module = ast.parse(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        message = "the output code is no Python"
        raise ValueError(message) from error
    called = {call.line for call in code.calls}
    statements: list[_Statement] = []
    shapes: dict[str, tuple[int, ...]] = {}
    taken: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    for number, function in enumerate(_functions(module)):
        for node in _simple(function.body):
            statements += _statement(node, number, called)
            shapes |= _asserted(node)
            if function.name == "call":
                taken = _taken(node) or taken
                returned = _returned(node) or returned
    statements.sort(key=lambda item: item.line)
    return Buffers(taken, returned, tuple(statements), shapes)


def _functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    for statement in module.body:
        found = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for item in found:
            if isinstance(item, ast.FunctionDef) and (
                item.name == "call" or item.name.startswith(_PARTS)
            ):
                yield item


def _simple(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, also those within ``with``, ``if`` and loops."""
    for statement in body:
        inner = [
            item
            for field in ("body", "orelse")
            for item in getattr(statement, field, None) or ()
            if isinstance(item, ast.stmt)
        ]
        if inner:
            yield from _simple(inner)
        else:
            yield statement


def _statement(node: ast.stmt, function: int, called: set[int]) -> Iterator[_Statement]:
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr) or isinstance(node, ast.Return):
        return
    used = frozenset(item.id for item in ast.walk(value) if isinstance(item, ast.Name))
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else ""
    if isinstance(value, ast.Call):
        what = ast.unparse(value.func)
        if what.rpartition(".")[2].startswith(_ALLOCATES) and name:
            shape = _numbers(value.args[0]) if value.args else ()
            dtype = ast.unparse(value.args[2]) if len(value.args) > 2 else ""  # noqa: PLR2004
            yield _Statement(
                node.lineno, function, _Kind.ALLOCATION, name, used, shape,
                dtype.removeprefix("torch."),
            )  # fmt: skip
        elif what == _RENAMES and name:
            yield _Statement(node.lineno, function, _Kind.RENAME, name, used)
        elif node.lineno in called or not what.startswith((_ASSERTS, *_NO_CALLS)):
            kind = _Kind.RESULT if name else _Kind.CALL
            yield _Statement(node.lineno, function, kind, name, used)
    elif isinstance(value, ast.Name) and name:
        yield _Statement(node.lineno, function, _Kind.RENAME, name, used)
    elif isinstance(value, ast.Subscript) and name:
        yield _Statement(node.lineno, function, _Kind.PART, name, used)


def _asserted(node: ast.stmt) -> dict[str, tuple[int, ...]]:
    """The shape of a library's result, which the code checks."""
    call = node.value if isinstance(node, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and ast.unparse(call.func) == _ASSERTS
        and len(call.args) > 1
        and isinstance(call.args[0], ast.Name)
    ):
        return {call.args[0].id: _numbers(call.args[1])}
    return {}


def _numbers(node: ast.expr) -> tuple[int, ...]:
    """A shape; none where it has symbols."""
    found = node.elts if isinstance(node, ast.Tuple) else []
    sizes = [item.value for item in found if isinstance(item, ast.Constant)]
    whole = [size for size in sizes if isinstance(size, int)]
    return tuple(whole) if len(whole) == len(found) else ()


def _taken(node: ast.stmt) -> tuple[str, ...]:
    """The names in ``primals_1, primals_2 = args``."""
    if not isinstance(node, ast.Assign) or ast.unparse(node.value) != "args":
        return ()
    target = node.targets[0]
    found = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return tuple(item.id for item in found if isinstance(item, ast.Name))


def _returned(node: ast.stmt) -> tuple[str, ...]:
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Tuple):
        return ()
    return tuple(map(_buffer, node.value.elts))


def _buffer(node: ast.expr) -> str:
    """The buffer that an expression is or views."""
    if isinstance(node, ast.Call) and node.args:
        return _buffer(node.args[0])
    return node.id if isinstance(node, ast.Name) else ""
