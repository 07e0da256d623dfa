"""Follows a list of numbers that were in a tensor: which of them are sizes."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from inspector.advice.size_uses import SHAPING, SizeUses, Use

_SPLITTING = frozenset({"split", "split_with_sizes"})
_SIZES = frozenset({"size", "split_size_or_sections", "split_sizes"})
# What needs to know the numbers; how many there are is known.
_NEEDING = frozenset(
    {"Counter", "all", "any", "format", "frozenset", "print", "repr", "set", "sorted", "str"}
)


@dataclasses.dataclass(slots=True)
class ListUses:
    """Follows a list, and its numbers.

    Attributes:
        numbers: Follows its numbers.
    """

    numbers: SizeUses
    _followed: set[str] = dataclasses.field(default_factory=set)

    def uses(self, made: ast.expr) -> Iterator[Use]:
        """What is done with the numbers of a list, also under the names that it gets."""
        match parent := self.numbers.parents.get(made):
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield from self._named(name)
            case ast.Assign(targets=[target]):
                yield from self._set(target)
            case ast.Subscript(value=value) if value is made:
                is_list = isinstance(parent.slice, ast.Slice)
                yield from self.uses(parent) if is_list else self.numbers.uses(parent)
            case ast.For(target=target) | ast.comprehension(target=target):
                yield from self._set(target)
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as name)):
                first = 1 if name == "enumerate" else parent.args.index(made)
                yield from self._item_of(parent, first)
            case ast.Call() | ast.Starred():
                yield self._argument(parent, made)
            case ast.keyword(arg=name):
                yield Use.SIZE if name in _SIZES else Use.OTHER
            case ast.Compare() | ast.FormattedValue():
                yield Use.WRONG
            case _:
                yield Use.OTHER

    def _named(self, name: str) -> Iterator[Use]:
        if name in self._followed or len(self.numbers.code.stores(name)) != 1:
            return
        self._followed.add(name)
        for load in self.numbers.code.loads(name):
            yield from self.uses(load)

    def _set(self, target: ast.expr) -> Iterator[Use]:
        """What is done with numbers of the list, by the names that they get."""
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        self.numbers.others.update(part.id for part in parts if isinstance(part, ast.Name))
        for part in parts:
            if isinstance(part, ast.Name):
                yield from self.numbers.named(part.id, stores=1)
            else:
                yield Use.OTHER

    def _item_of(self, pairs: ast.expr, index: int) -> Iterator[Use]:
        """The same of one of several names: ``for row, n in enumerate(sizes)``."""
        match self.numbers.parents.get(pairs):
            case (
                ast.For(target=ast.Tuple(elts=parts))
                | ast.comprehension(target=ast.Tuple(elts=parts))
            ) if index < len(parts):
                yield from self._set(parts[index])
            case _:
                yield Use.OTHER

    def _argument(self, parent: ast.Call | ast.Starred, made: ast.expr) -> Use:
        """What the list is to a function or a method that gets it, or all of its numbers."""
        is_star = isinstance(parent, ast.Starred)
        call = self.numbers.parents.get(parent) if is_star else parent
        match call:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                if name in _NEEDING:
                    return Use.WRONG
                is_method = isinstance(call.func, ast.Attribute)
                is_size = name in SHAPING or (name in _SPLITTING and not is_star)
                return Use.SIZE if is_method and is_size and call.func is not made else Use.OTHER
        return Use.OTHER
