"""Bytes that a kernel moves between its multiprocessors and memory.

Counted in sectors of 32 bytes, which is what memory delivers: of a stride of three elements, three
times what is used. What several loads of a program touch counts once, and what all programs touch
is not more than the stretch of memory that it lies in.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from inspector.features.kernels.binary.index_values import Indices
from inspector.features.kernels.binary.ttgir import Module, Operation, element_bytes, mask_of

_SECTOR_BYTES = 32
_Key: TypeAlias = tuple[str, bool]
_Sectors: TypeAlias = tuple[str, set[int]]
_STORES = {"tt.store"}
_LOADS = {"tt.load", "ttg.async_copy_global_to_local"}
_SHARES = (0.0, 0.113, 0.29, 0.377, 0.501, 0.613, 0.71, 0.871, 1.0)
"""Programs that are looked at, as shares of the grid; not only first and last ones, because those
of a broadcast tensor read the same again and again."""
_MORE_SHARES = tuple((place * 0.618034) % 1 for place in range(64))
"""The same where some programs leave an argument out (a concatenation reads each of its inputs in
a part of them): multiples of the golden ratio are spread evenly, and in step with no size."""
_OF_EACH_BRANCH = 8
"""Programs that are looked at of a kernel for several tensors, on average of each."""
_MOST_PROGRAMS = 256
_MOST_STAGES = 8
"""How far ahead a pipelined loop loads, in trips."""


@dataclasses.dataclass(frozen=True, slots=True)
class Traffic:
    """What is read and written.

    Attributes:
        is_complete: Whether all addresses are known; else what is indirect is missing.
        least_bytes: All of it, or what is certain: without accesses whose masks are not known, or
            of which it is unknown whether a program gets there.
    """

    is_complete: bool
    least_bytes: int


@dataclasses.dataclass(slots=True)
class _Use:
    """What programs do to one argument: sectors of those that touch it, and the outermost ones."""

    counts: list[int] = dataclasses.field(default_factory=list)
    lowest: int | None = None
    highest: int = 0

    def reach(self, sectors: set[int]) -> None:
        if sectors:
            least = min(sectors)
            self.lowest = least if self.lowest is None else min(self.lowest, least)
            self.highest = max(self.highest, *sectors)

    def bytes(self, programs: int, counted: int) -> int:
        mean = sum(self.counts) / counted
        stretch: float = self.highest - (self.lowest or 0) + 1
        touching = len(self.counts)
        if 1 < touching < counted:  # the first and the last of those that do were not looked at
            stretch *= (touching + 1) / (touching - 1)
        return round(min(mean * programs, stretch)) * _SECTOR_BYTES


def traffic_of(module: Module, grid: Sequence[int], known: Mapping[str, int]) -> Traffic | None:
    """What a kernel moves, or None where its grid or all of its addresses are not known."""
    if not grid or 0 in grid:
        return None
    shares = _shares(module)
    programs, uses, is_complete = _noted(module, grid, known, shares)
    counted = sum(share < 1 for share in shares)
    if shares is _SHARES and any(0 < len(use.counts) < counted for use in uses.values()):
        shares, counted = _MORE_SHARES, len(_MORE_SHARES)
        programs, uses, is_complete = _noted(module, grid, known, shares)
    if not uses:
        return None
    count = grid[0] * grid[1] * grid[2]
    if not is_complete:
        uses = defaultdict(_Use)
        for program, counts in programs:
            _note_program(program, uses, counts=counts, is_sure=True)
    return Traffic(is_complete, sum(use.bytes(count, counted) for use in uses.values()))


def _noted(
    module: Module, grid: Sequence[int], known: Mapping[str, int], shares: Sequence[float]
) -> tuple[list[tuple[_Program, bool]], dict[_Key, _Use], bool]:
    """Some programs and whether each counts, what they do, and whether all of that is known."""
    uses: dict[_Key, _Use] = defaultdict(_Use)
    is_complete = True
    # The last program may have less to do than the others; it counts where it is the only one.
    programs = [
        (_Program(module, grid, known, program_at(grid, share)), share < 1) for share in shares
    ]
    for program, counts in programs:
        is_complete &= _note_program(program, uses, counts=counts)
    return programs, uses, is_complete


def program_at(grid: Sequence[int], share: float) -> list[int]:
    """The program at a share of the grid, by axis."""
    return [min(size - 1, int(size * share)) for size in grid]


def _shares(module: Module) -> Sequence[float]:
    """Which programs are looked at, as shares of the grid.

    Those of a kernel for several tensors are divided among them: each needs some.
    """
    branches = {item.branches for item in module.operations if item.name in _LOADS | _STORES}
    if len(branches) <= 2:  # noqa: PLR2004 - one, and what stands outside of it
        return _SHARES
    number = min(_OF_EACH_BRANCH * len(branches), _MOST_PROGRAMS)
    return [(place + 0.5) / number for place in range(number)]


class _Program:
    """One program's values in the first and in the last trip of its loops."""

    def __init__(
        self, module: Module, grid: Sequence[int], known: Mapping[str, int], program: Sequence[int]
    ) -> None:
        self.module = module
        self.first = Indices(module, known, program, grid)
        self._make_end = functools.partial(Indices, module, known, program, grid, self.first)
        self._ends: list[Indices] = []
        self._trips = [self.first.trips(loop) for loop in module.loops]

    def runs(self, operation: Operation) -> bool:
        for condition, holds in operation.branches:
            value = self.first.value(condition)
            if value is not None and not value.shape and bool(value.numbers[0]) != holds:
                return False
        return True

    def is_sure(self, operation: Operation) -> bool:
        """Whether it is known what it touches, and that the program gets there."""
        mask = mask_of(operation)
        asked = [condition for condition, _ in operation.branches] + ([mask] if mask else [])
        return all(self.first.value(name) is not None for name in asked)

    def trips(self, operation: Operation) -> int | None:
        counts = [self._trips[loop - 1] for loop in operation.loops]
        known = [count for count in counts if count is not None]
        return math.prod(known) if len(known) == len(counts) else None

    def in_last_trip(self, operation: Operation) -> _Sectors | None:
        """What an access touches in the last trip in which it does something.

        A pipelined loop loads ahead, and in its last trips nothing any more.
        """
        found = None
        for number in range(_MOST_STAGES):
            if number == len(self._ends):
                self._ends.append(self._make_end(number))
            found = _sectors(operation, self._ends[number])
            if found is None or found[1]:
                break
        return found


def _note_program(
    program: _Program, uses: dict[_Key, _Use], *, counts: bool, is_sure: bool = False
) -> bool:
    """Adds what one program touches, and says whether all of it is known."""
    touched: dict[_Key, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    is_complete = True
    for item in program.module.operations:
        if item.name not in _LOADS | _STORES:
            # Of tiles that are moved by descriptors it is not known how much that is.
            is_copy = "async_tma" in item.name and "wait" not in item.name
            is_complete &= "atomic" not in item.name and not is_copy
            continue
        if not program.runs(item) or (is_sure and not program.is_sure(item)):
            continue
        times = program.trips(item)
        found = _sectors(item, program.first)
        if times is None or found is None:
            is_complete = False
            continue
        base, sectors = found
        key = (base, item.name in _STORES)
        touched[key][times] |= sectors
        uses[key].reach(sectors)
        further = program.in_last_trip(item) if times > 1 else None
        if further is not None:
            uses[key].reach(further[1])
    if counts:
        for key, by_times in touched.items():
            amount = sum(len(found) * times for times, found in by_times.items())
            if amount:
                uses[key].counts.append(amount)
    return is_complete


def _sectors(operation: Operation, indices: Indices) -> _Sectors | None:
    """The argument and the sectors that an access touches where its mask lets it."""
    value = indices.value(operation.operands[0])
    shaped = indices.type_of(operation.operands[0])
    if value is None or shaped is None:
        return None
    size = element_bytes(shaped.pointee)
    numbers: Sequence[int | float] = value.numbers
    mask = mask_of(operation)
    allowed = indices.value(mask) if mask else None
    if allowed is not None and len(allowed.numbers) == len(numbers):
        pairs = zip(numbers, allowed.numbers, strict=True)
        numbers = [number for number, is_allowed in pairs if is_allowed]
    return value.base, {int(number) * size // _SECTOR_BYTES for number in numbers}
