"""Computes the offsets that a kernel's pointers have in one of its programs.

Pointer arithmetic is integer arithmetic on small tensors: it is carried out for one program,
instead of being guessed at from strides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from inspector.features.kernels.binary.index_arithmetic import Value, computed, leaf
from inspector.features.kernels.binary.ttgir import Module, Operation, TensorType, tensor_type

MOST_ELEMENTS = 1 << 16
"""Larger tensors are not computed."""

_DEEPEST = 400


class Indices:
    """Values of a module's integers and pointers, each computed once.

    Args:
        known: Values of scalar arguments by name without the ``%``.
        grid: Programs by axis, as far as the kernel asks for them.
        first: The values of every loop's first trip: then these are of the last one.
        before: How many trips before the last one, so far as there are.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - which program, and which trip
        self,
        module: Module,
        known: Mapping[str, int],
        program: Sequence[int] = (1, 1, 0),
        grid: Sequence[int] = (1, 1, 1),
        first: Indices | None = None,
        before: int = 0,
    ) -> None:
        self._module = module
        self._programs = dict(zip("xyz", program, strict=True))
        self._grid = dict(zip("xyz", grid, strict=True))
        self._known = known
        self._first = first
        self._before = before
        self._carried: dict[str, str] = {}
        self._steps: dict[str, tuple[Operation, str]] = {}
        self._values: dict[str, Value | None] = {}
        for number, operation in enumerate(module.loops, 1):
            if operation.name == "scf.for":
                self._carry(number, operation)

    def _carry(self, number: int, operation: Operation) -> None:
        """What a loop begins with, its variable and what it carries, and what comes next."""
        start = re.match(r"\s*(?:unsigned )?(%\w+) = (%\w+) to %\w+ step (%\w+)", operation.text)
        if start:
            self._carried[start[1]] = start[2]
            self._steps[start[1]] = (operation, start[3])
        carried = re.search(r"iter_args\((.*?)\) ->", operation.text)
        if not carried:
            return
        pairs = re.findall(r"(%\w+) = (%[\w#]+)", carried[1])
        yields = [
            item
            for item in self._module.operations
            if item.name == "scf.yield" and item.loops and item.loops[-1] == number
        ]
        following = yields[-1].operands if yields else ()
        for at, (name, initial) in enumerate(pairs):
            self._carried[name] = initial
            if at < len(following):
                self._steps[name] = (operation, following[at])
        for result, (_, initial) in zip(operation.results, pairs, strict=False):
            self._carried[result] = initial

    def type_of(self, name: str) -> TensorType | None:
        """Type of an operation's only result."""
        operation = self._module.made_by.get(name)
        if operation is None:
            kind = self._module.arguments.get(name)
            return tensor_type(kind, self._module) if kind else None
        return tensor_type(_result_type(operation.text), self._module)

    def trips(self, loop: Operation) -> int | None:
        """How often a loop runs in a program, or None where it is unknown."""
        found = re.match(r"\s*(?:unsigned )?%\w+ = (%\w+) to (%\w+) step (%\w+)", loop.text)
        if not found:
            return None
        if any(self._is_guess(name, 0) for name in found.groups()):
            return None
        bounds = [self.value(name) for name in found.groups()]
        if any(bound is None for bound in bounds):
            return None
        start, stop, step = (int(bound.numbers[0]) for bound in bounds if bound is not None)
        return max(0, -((start - stop) // step)) if step > 0 else None

    def _is_guess(self, name: str, depth: int) -> bool:
        """Whether a value depends on an unknown argument."""
        if name in self._module.arguments:
            return name[1:] not in self._known
        operation = self._module.made_by.get(name)
        if operation is None or depth > _DEEPEST:
            return name not in self._carried or depth > _DEEPEST
        return any(self._is_guess(operand, depth + 1) for operand in operation.operands)

    def value(self, name: str, depth: int = 0) -> Value | None:
        """The value of a name in the program, or None where it is unknown."""
        if name in self._values:
            return self._values[name]
        if depth > _DEEPEST:
            return None
        self._values[name] = None  # what depends on itself is unknown
        made = self._compute(name, depth)
        self._values[name] = made
        return made

    def is_indirect(self, name: str) -> bool:
        """Whether a value comes from memory."""
        seen: set[str] = set()
        open_names = [name]
        while open_names:
            at = open_names.pop()
            if at in seen:
                continue
            seen.add(at)
            operation = self._module.made_by.get(at)
            if operation is None:
                if at in self._carried:
                    open_names.append(self._carried[at])
                continue
            if operation.name in {"tt.load", "ttg.local_load", "tt.atomic_rmw", "tt.gather"}:
                return True
            if operation.name != "scf.for":
                open_names += operation.operands
        return False

    def _compute(self, name: str, depth: int) -> Value | None:
        if name in self._carried:
            began = self.value(self._carried[name], depth + 1)
            return began if self._first is None else self._last(name, began)
        if name in self._module.arguments:
            if "ptr" in self._module.arguments[name]:
                return Value((), (0,), name[1:])
            # Of a size that nobody knows nothing is a divisor but what the kernel was told.
            unknown = 257 * self._module.divisible.get(name, 1)
            return Value((), (self._known.get(name[1:], unknown),))
        operation = self._module.made_by.get(name)
        if operation is None:
            return None
        shaped = tensor_type(_result_type(operation.text), self._module)
        if shaped is not None and math.prod(shaped.shape) > MOST_ELEMENTS:
            return None
        return self._operation(operation, shaped, depth)

    def _last(self, name: str, began: Value | None) -> Value | None:
        """What a loop's variable, or what it carries, is in the last trip: if it grows evenly."""
        if name not in self._steps or self._first is None or began is None:
            return began
        loop, step = self._steps[name]
        trips = self._first.trips(loop)
        following = self._first.value(step)
        if not trips or following is None or following.shape != began.shape:
            return None
        ahead = max(0, trips - 1 - self._before)
        is_variable = re.match(rf"\s*(?:unsigned )?{re.escape(name)} =", loop.text)
        numbers = tuple(
            start + ahead * (change if is_variable else change - start)
            for start, change in zip(began.numbers, following.numbers, strict=True)
        )
        return Value(began.shape, numbers, began.base)

    def _operation(
        self, operation: Operation, shaped: TensorType | None, depth: int
    ) -> Value | None:
        if operation.name in {"tt.get_program_id", "tt.get_num_programs"}:
            axes = self._programs if operation.name == "tt.get_program_id" else self._grid
            return Value((), (axes.get(operation.text.strip()[:1], 0),))
        if not operation.operands:
            return leaf(operation.name, operation.text, shaped)
        inputs = [self.value(operand, depth + 1) for operand in operation.operands]
        values = [value for value in inputs if value is not None]
        if len(values) < len(inputs):
            return None
        return computed(operation.name, operation.text, values, shaped)


def _result_type(text: str) -> str:
    """The type at the end of an operation, behind the arrow where there is one."""
    _, arrow, behind = text.rpartition(" -> ")
    if arrow:
        return behind.strip()
    # The types follow the last colon that is not inside of brackets; the first one is the result's.
    types = _outside(text, ":")[-1] if ":" in text else ""
    return _outside(types, ",")[0].strip()


def _outside(text: str, sign: str) -> list[str]:
    """A text, split where a sign is not inside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<({[") - (character in ">)}]")
        if character == sign and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
