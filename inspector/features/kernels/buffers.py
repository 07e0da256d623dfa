"""The buffers of Inductor's output code: which statement makes, renames and fills each."""

import ast
import dataclasses
import math
import re
from collections.abc import Iterable, Mapping

from inspector.features.kernels.buffer_statements import (
    Kind,
    Layout,
    Statement,
    asserted_layout,
    buffer_of,
    deleted_names,
    functions_in,
    simple_statements,
    statements_of,
)
from inspector.features.kernels.generated_source import output_module
from inspector.run.kernel import GraphCode

_TANGENTS = "tangents_"
_BITS = re.compile(r"^b?float(\d+)$")
_ITEM_BYTES = (1, 2, 4, 8, 16)
_ROUNDED_BYTES = 512  # of the allocator for CUDA
# It gives a block that is larger by less than this, where what is wanted is larger than it, too
# (`should_split` in c10/cuda/CUDACachingAllocator.cpp, 2.11 to 2.13).
_LARGE_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class Buffer:
    """Memory that a statement allocates.

    Attributes:
        names: The names that it has, the last of those that it has one after another last; none of
            what a library needs while it runs.
        filled_by: The lines that compute what is in it, in order.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...] = ()
    dtype: str = ""
    filled_by: tuple[int, ...] = ()


_WORKSPACE = Buffer(())


@dataclasses.dataclass(frozen=True, slots=True)
class Buffers:
    """The buffers of a module.

    Attributes:
        returned: The names of what it returns, in order; empty where that is no buffer.
        layouts: Of results of libraries, by name: the code checks them.
    """

    taken: tuple[str, ...]
    returned: tuple[str, ...]
    statements: tuple[Statement, ...]
    layouts: Mapping[str, Layout]
    is_cuda: bool

    def at(self, line: int, bytes_: int, until: int = 0) -> Buffer | None:
        """What a statement allocates, or None where it is not known.

        Args:
            bytes_: How much: a statement with several results allocates each.
            until: The line that is being run, or 0 for the end of the code. Memory that is used
                again after it has what it was made for until then.
        """
        own = [item for item in self.statements if item.line == line]
        made = [item for item in own if item.kind in {Kind.ALLOCATION, Kind.RESULT}]
        if not made:
            return _WORKSPACE if any(item.kind is Kind.CALL for item in own) else None
        first = made[0] if made[0].kind is Kind.ALLOCATION else self._result(made[0], bytes_)
        return _WORKSPACE if first is None else self._followed(first, until or 1 << 60)

    def _result(self, statement: Statement, bytes_: int) -> Statement | None:
        """The result that is so large, or None where none of them is.

        Each of several is an item of the statement's. Their dtypes are not in the code: those of
        its other buffers are tried.
        """
        parts = [
            item
            for item in self.statements
            if item.kind is Kind.PART and statement.name in item.used
            and item.function == statement.function
        ]  # fmt: skip
        sizes = {
            item.dtype: int(bits[0]) // 8
            for item in self.statements
            if (bits := _BITS.findall(item.dtype))
        }
        for part in parts:
            layout = self.layouts.get(part.name)
            for dtype, size in sizes.items():
                if layout is not None and self._fits(layout, (size,), bytes_):
                    return dataclasses.replace(
                        part, line=statement.line, kind=statement.kind, dtype=dtype
                    )
        layouts = [self.layouts.get(item.name) for item in parts or [statement]]
        is_known = all(layout is not None and layout.shape for layout in layouts)
        if is_known and not any(
            layout is not None and self._fits(layout, _ITEM_BYTES, bytes_) for layout in layouts
        ):
            return None
        return statement

    def _fits(self, layout: Layout, item_bytes: Iterable[int], bytes_: int) -> bool:
        """Whether a block of so many bytes can have been asked for a tensor."""
        elements = {math.prod(layout.shape)}
        if len(layout.strides) == len(layout.shape) and elements != {0}:
            pairs = zip(layout.shape, layout.strides, strict=True)
            elements.add(1 + sum((size - 1) * stride for size, stride in pairs))
        sizes = [number * item for number in elements for item in item_bytes]
        return any(
            bytes_ in {size, -(-size // _ROUNDED_BYTES) * _ROUNDED_BYTES}
            or (self.is_cuda and _LARGE_BYTES < size < bytes_ <= size + _LARGE_BYTES)
            for size in sizes
        )

    def _followed(self, first: Statement, until: int) -> Buffer:
        """The names of what a statement makes, and who writes to it."""
        followed = _Followed(first)
        for item in self.statements:
            if item.line <= first.line or item.function != first.function:
                continue
            if item.line > until and followed.is_used_again(item):
                break  # what is written until then is what it was made for
            followed.step(item)
        layout = self.layouts.get(first.name, Layout(()))
        names = (*followed.aliases, *followed.names)
        return Buffer(names, first.shape or layout.shape, first.dtype, tuple(followed.filled_by))


class _Followed:
    """Memory from the statement that makes it on."""

    def __init__(self, first: Statement) -> None:
        self.names = [first.name]
        self.aliases: list[str] = []
        self.filled_by = [first.line] if first.kind is Kind.RESULT else []
        # The names that nothing was written to yet: the first statement that is given one of them
        # writes to it, and further ones read it.
        self._waiting = {first.name} if first.kind is Kind.ALLOCATION else set()
        self._is_new = False

    def is_used_again(self, item: Statement) -> bool:
        return item.kind is Kind.RENAME and self.names[-1] in item.used

    def step(self, item: Statement) -> None:
        if not item.used & {self.names[-1], *self.aliases}:
            return
        if self.is_used_again(item):
            self.names.append(item.name)
            self._waiting, self._is_new = {item.name}, True
            self.aliases.clear()
        elif item.kind is Kind.ALIAS:
            # A view of what is written already is there to be read.
            if self._waiting or not self.filled_by or self.aliases:
                self.aliases.append(item.name)
                self._waiting.discard(self.names[-1])
                self._waiting.add(item.name)
        elif item.kind not in {Kind.PART, Kind.RENAME} and item.used & self._waiting:
            if self._is_new:
                self.filled_by, self._is_new = [], False
            self.filled_by.append(item.line)
            self._waiting -= item.used


def saved_names(forward: Buffers, backward: Buffers) -> dict[str, str]:
    """What a forward pass keeps for its backward pass: the buffer, and its name in the graphs.

    The forward code returns its results first, and then what the backward code takes before the
    gradients of the results (``_extract_fwd_bwd_modules`` in torch/_functorch/partitioners.py).
    """
    taken = _taken_back(backward)
    kept = forward.returned[len(result_names(forward, backward)) :]
    return {buffer: name for buffer, name in zip(kept, taken, strict=False) if buffer}


def result_names(code: Buffers, backward: Buffers | None) -> tuple[str, ...]:
    """The buffers that a graph returns as results."""
    kept = len(_taken_back(backward)) if backward is not None else 0
    return code.returned[: max(0, len(code.returned) - kept)]


def _taken_back(backward: Buffers) -> list[str]:
    return [name for name in backward.taken if not name.startswith(_TANGENTS)]


def read_buffers(text: str, code: GraphCode) -> Buffers:
    """Reads the output code of one graph; `ValueError` where it is no Python (cut off, say)."""
    module = output_module(text)
    called = {call.line for call in code.calls}
    statements: list[Statement] = []
    layouts: dict[str, Layout] = {}
    taken: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    for number, function in enumerate(functions_in(module)):
        body = list(simple_statements(function.body))
        deleted, is_call = set(deleted_names(body)), function.name == "call"
        for node in body:
            statements += statements_of(node, number, called, deleted)
            layouts |= asserted_layout(node)
            match node:
                case ast.Assign(targets=[target], value=ast.Name(id="args")) if is_call:
                    # `primals_1, primals_2 = args`
                    names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                    taken = tuple(item.id for item in names if isinstance(item, ast.Name))
                case ast.Return(value=ast.Tuple(elts=values)) if is_call and values:
                    returned = tuple(map(buffer_of, values))
    statements.sort(key=lambda item: item.line)
    return Buffers(taken, returned, tuple(statements), layouts, "torch.cuda._DeviceGuard" in text)
