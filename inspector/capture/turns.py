"""Calls that follow one another as in a program's own loop, as far as what they change allows.

What stands between two calls empties the processor's caches, and the next one takes up to three
times as long as in a program that does nothing there. Where a call changes neither the model nor
what it is made with, nothing has to be put back, and copies that were made before take turns.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Hashable, Iterator, Sequence

import torch

from inspector.capture.call import Call, fresh
from inspector.capture.leaves import PLAIN
from inspector.capture.state import State

__all__ = ["Turns", "begin_step", "copies_of", "is_plain", "is_unchanged", "versions_of"]

_COPIES = 4
_MOST_BYTES = 1 << 28


def begin_step() -> None:
    """Says that a step begins, where CUDA graphs may be."""
    # Where it is not imported no CUDA graph is there, and to import it takes seconds of the first
    # call.
    if "torch._inductor.cudagraph_trees" in sys.modules:
        torch.compiler.cudagraph_mark_step_begin()


def copies_of(call: Call) -> list[Call]:
    """Copies of a call to take turns, fewer of a large one."""
    fitting = _MOST_BYTES // max(1, sum(tensor.nbytes for tensor in call.tensors))
    return [fresh(call) for _ in range(max(1, min(_COPIES, fitting)))]


def is_plain(call: Call) -> bool:
    """Whether all that a call is made with can be compared; a cache of keys and values cannot."""
    return all(isinstance(leaf, (*PLAIN, torch.Tensor)) for leaf in call.leaves)


def versions_of(call: Call) -> Sequence[int | None]:
    """What torch counts up when a tensor is written to."""
    return [_version(leaf) for leaf in call.leaves]


def is_unchanged(original: Call, made: Call, versions: Sequence[int | None]) -> bool:
    """Whether a call has left what it was made with as it was.

    Args:
        original: What it was made with a copy of.
        made: That copy.
        versions: The versions of the copy before.
    """
    return list(versions) == list(versions_of(made)) and all(
        map(_is_same, original.leaves, made.leaves)
    )


class Turns:
    """Makes the arguments of the next call ready.

    Args:
        given: The arguments.
        state: What a call changes, as it was in the beginning.
    """

    def __init__(self, given: Call, state: State) -> None:
        self._given = given
        self._state = state
        self._is_over = not is_plain(given)
        self._repeating: set[Hashable] = set()
        self._last: tuple[Hashable, Call, Sequence[int | None]] | None = None
        self._copies: Iterator[Call] | None = None
        self._has_gradients = False

    def next(self, kind: Hashable) -> Call:
        """The arguments of a call.

        Args:
            kind: What is called: each kind is made once with everything put back before it, and
                shows what it changes.
        """
        self._look()
        if self._is_over or kind not in self._repeating:
            self._state.begin_again()
            begin_step()
            call = fresh(self._given)
            self._last = None if self._is_over else (kind, call, versions_of(call))
            return call
        if self._copies is None:
            self._copies = itertools.cycle(copies_of(self._given))
        call = next(self._copies)
        if self._has_gradients:
            self._state.restore_gradients()
            for tensor in call.tensors:
                tensor.grad = None
        begin_step()
        return call

    def end(self) -> None:
        """Puts everything back before each further call, which has new arguments."""
        self._is_over, self._last, self._copies = True, None, None

    def _look(self) -> None:
        """Looks at what the first call of a kind has left behind."""
        if self._last is None:
            return
        (kind, call, versions), self._last = self._last, None
        changes = self._state.has_changed() or self._state.draws
        if changes or not is_unchanged(self._given, call, versions):
            self.end()
            return
        self._repeating.add(kind)
        tensors = (*self._state.leaves, *call.tensors)
        self._has_gradients |= any(tensor.grad is not None for tensor in tensors if tensor.is_leaf)


def _version(leaf: object) -> int | None:
    if not isinstance(leaf, torch.Tensor) or leaf.is_inference():
        return None
    return int(leaf._version)  # noqa: SLF001 - torch has no other name for it


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        try:
            return bool(torch.equal(one.detach(), other.detach()))
        except (RuntimeError, NotImplementedError):
            return False
    return bool(one == other)
