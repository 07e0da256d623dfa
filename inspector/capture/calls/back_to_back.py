"""Calls that follow one another as in a program's own loop, as far as what they change allows.

What stands between two calls empties the processor's caches, and the next one takes up to three
times as long as in a program that does nothing there. Where a call changes neither the model nor
what it is made with, nothing has to be put back, and one copy that was made before serves for all.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Hashable, Sequence

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from inspector.capture.calls.leaves import PLAIN
from inspector.capture.calls.state import State
from inspector.capture.target.call import Call, PreparedCall, fresh

_LOOKS_EACH = 16  # calls: to look empties the caches for the next one


def begin_step() -> None:
    """Says that a step begins, where CUDA graphs may be."""
    # Where it is not imported no CUDA graph is there, and to import it takes seconds of the first
    # call.
    if "torch._inductor.cudagraph_trees" in sys.modules:
        torch.compiler.cudagraph_mark_step_begin()


def is_plain(call: Call) -> bool:
    """Whether all that a call is made with can be compared here.

    A cache of keys and values cannot, nor can what other processes have a part of (DTensor).
    """
    return all(
        isinstance(leaf, (*PLAIN, torch.Tensor)) and not is_traceable_wrapper_subclass(leaf)
        for leaf in call.leaves
    )


def versions_of(call: Call) -> Sequence[int | None]:
    """What torch counts up when a tensor is written to."""
    return [_version(leaf) for leaf in call.leaves]


def is_unchanged(original: Call, made: Call, versions: Sequence[int | None]) -> bool:
    """Whether a call has left `made`, a copy of `original`, as it was at these versions."""
    return (
        _structure(original) == _structure(made)
        and list(versions) == list(versions_of(made))
        and all(map(_is_same, original.leaves, made.leaves))
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of the arguments that is used again and again, as it was made."""

    call: Call
    versions: Sequence[int | None]


class BackToBack:
    """Prepares the calls with an input, back to back where they change nothing.

    One call of each kind is made with everything put back before it, and shows what it changes;
    where that is nothing, further ones are looked at now and then.
    """

    def __init__(self, given: Call, state: State) -> None:
        self._given = given
        self._state = state
        self._is_over = not is_plain(given)
        self._repeating: set[Hashable] = set()
        self._first: tuple[Hashable, _Copy] | None = None
        self._copy: _Copy | None = None
        self._made = 0
        self._has_gradients = False

    @property
    def repeats(self) -> bool:
        """Whether calls follow one another with nothing put back between them."""
        return bool(self._repeating) and not self._is_over

    def prepared(self, kind: Hashable, made_by: Callable[[Call], object]) -> PreparedCall:
        """Prepares a call; of another `kind` is one with the compiler, say, and one without it."""
        self._look_at_first()
        if kind in self._repeating and not self._is_over:
            call = self._again()
            if call is not None:
                return PreparedCall(call, made_by)
        return self._with_all_put_back(kind, made_by)

    def end(self) -> None:
        """Puts everything back before each further call, which has new arguments."""
        self._is_over, self._first, self._copy = True, None, None

    def _with_all_put_back(self, kind: Hashable, made_by: Callable[[Call], object]) -> PreparedCall:
        self._state.begin_again()
        begin_step()
        call = fresh(self._given)
        if self._is_over or kind in self._repeating:
            return PreparedCall(call, made_by)
        versions = versions_of(call)

        def made(call: Call) -> object:
            result = made_by(call)
            self._first = kind, _Copy(call, versions)
            return result

        return PreparedCall(call, made)

    def _again(self) -> Call | None:
        """The copy; None where calls are found to change something."""
        if self._copy is None:
            call = fresh(self._given)
            self._copy = _Copy(call, versions_of(call))
        elif self._made % _LOOKS_EACH == 0 and self._changes(self._copy):
            self.end()
            return None
        call = self._copy.call
        self._made += 1
        if self._has_gradients:
            self._state.restore_gradients()
            for tensor in call.tensors:
                tensor.grad = None
        begin_step()
        return call

    def _look_at_first(self) -> None:
        """Looks at what the first call of a kind has left behind."""
        if self._first is None:
            return
        (kind, copy), self._first = self._first, None
        if self._changes(copy):
            self.end()
            return
        self._repeating.add(kind)
        tensors = (*self._state.leaves, *copy.call.tensors)
        self._has_gradients |= any(tensor.grad is not None for tensor in tensors if tensor.is_leaf)

    def _changes(self, copy: _Copy) -> bool:
        """Whether calls have changed what they were made with, the model, or random numbers."""
        is_touched = not is_unchanged(self._given, copy.call, copy.versions)
        return is_touched or self._state.has_changed() or self._state.draws()


def _structure(call: Call) -> tuple[object, object]:
    # Containers, empty ones too, and the places of what is in them, in their order.
    value = (call.args, call.kwargs)
    paths, _ = _pytree.tree_flatten_with_path(value)
    return _pytree.tree_structure(value), [path for path, _ in paths]


def _version(leaf: object) -> int | None:
    if not isinstance(leaf, torch.Tensor) or leaf.is_inference():
        return None
    return int(leaf._version)  # noqa: SLF001 - torch has no other name for it


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        mine, theirs = one.detach(), other.detach()
        may_be_nan = mine.is_floating_point() or mine.is_complex()
        try:
            is_alike = may_be_nan and torch.allclose(mine, theirs, rtol=0, atol=0, equal_nan=True)
            return bool(is_alike or torch.equal(mine, theirs))
        except (RuntimeError, NotImplementedError):
            return False
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - NaN
