"""What else changed with a recompilation: other values, keys, and what multiplies with it."""

import dataclasses
from collections.abc import Iterable, Iterator

from inspector.run.recompile import Answer, Change, Recompile, RecompileClass

_C = RecompileClass
# What all tensors of a call have together, and what is one state.
_TOGETHER = frozenset(
    [_C.SIZE, _C.STRIDE, _C.DTYPE, _C.DEVICE, _C.LAYOUT, _C.RANK, _C.REQUIRES_GRAD, _C.TENSOR_KIND,
     _C.SYMBOLIC_SHAPE, _C.ALIASING, _C.MARKS, _C.TRAINING, _C.GLOBAL_STATE, _C.AUTOCAST]
)  # fmt: skip
# Another dispatch key set comes with these.
_KEYS_OF = frozenset({_C.DEVICE, _C.LAYOUT, _C.GRAD_MODE, _C.REQUIRES_GRAD, _C.TENSOR_KIND})
_WITH = ("without ", "with ")


def also_changed(item: Recompile) -> tuple[Recompile, ...]:
    """What differs beside what the failed guard is about, each as a recompilation for it alone."""
    return tuple(_alone(item, change) for change in _others(item))


def marked_with(item: Recompile) -> dict[str, list[int]]:
    """The dimensions of each tensor whose sizes changed, where the failed guard is of a size."""
    found: dict[str, list[int]] = {}
    for change in item.changes if item.kind is _C.SIZE else ():
        if change.kind is _C.SIZE and change.index is not None:
            found.setdefault(change.name, []).append(change.index)
    return found


def _others(item: Recompile) -> Iterator[Change]:
    seen: set[object] = set()
    # What follows from the change: of a dict, what is under a key that came or went.
    keys = (*item.new_keys, *item.missing_keys) if item.kind is _C.KEYS else ()
    within = tuple(f"{item.name}[{key}]" for key in keys)
    within = within or (f"{item.name}.", f"{item.name}[")
    for change in item.changes:
        together = change.kind in _TOGETHER
        key = change.kind if together else (change.kind, change.name)
        own = change.kind is item.kind if together else change.name == item.name
        if change.kind is _C.SYMBOLIC_SHAPE:  # the size itself, as a condition
            own = own or bool(item.source and item.source in change.source)
        follows = change.kind is _C.TENSOR_KIND and item.kind in _KEYS_OF
        inside = item.name and change.name.startswith(within)
        if not own and not follows and not inside and key not in seen:
            seen.add(key)
            yield change


def _alone(item: Recompile, change: Change) -> Recompile:
    answer = Answer.DYNAMIC if change.is_dynamic else Answer.AGAIN
    return dataclasses.replace(
        item, guard="", comment="", hint="", source=change.source, name=change.name,
        index=change.index, kind=change.kind, origin=change.origin, before=change.before,
        now=change.now,
        answer=answer if item.answer in {Answer.DYNAMIC, Answer.AGAIN} else item.answer,
        holds="", symbols=(), new_keys=(), missing_keys=(), caused_by=None, guard_stack=(),
        bounds=tuple(bound for bound in item.bounds if change.source in bound.expression),
    )  # fmt: skip


def key_of(side: str) -> str:
    """The key that one side of a guard is with or without; empty where it says something else."""
    return next((side.removeprefix(word) for word in _WITH if side.startswith(word)), "")


def keys_of(items: Iterable[Recompile]) -> tuple[str, ...]:
    """The keys that came or went in recompilations for one dict, as far as they are known."""
    found: dict[str, None] = {}
    for item in items:
        asked = key_of(item.before)
        keys = (*item.new_keys, *item.missing_keys, *((asked,) if asked else ()))
        if item.kind is RecompileClass.KEYS:
            found |= dict.fromkeys(keys)
    return tuple(found)


def is_number_of_keys(item: Recompile) -> bool:
    """Whether the code asks how many keys a dict has, or whether it has any, and for none of them.

    Of a dict that is gone through torch checks the number, too, and says ``!=`` of it.
    """
    asked = item.guard.startswith("not ") and "(" not in item.guard
    counted = item.guard.startswith("len(") and " == " in item.guard
    return item.kind is RecompileClass.KEYS and (asked or counted)
