"""All advice, and which of it is meant for a graph break."""

from __future__ import annotations

from collections.abc import Callable

from inspector.features.breaks.advice import (
    branches,
    items,
    masked,
    moving,
    numpy_numbers,
    reports,
    size_uses,
)
from inspector.features.breaks.advice.advice import Advice, Break, read_case
from inspector.report.user_code.code import Code
from inspector.shared.edit import Edit

_ORDER = """
    checkpointed-value checkpoint-sequential
    print print-reordered logging logging-enabled logging-ignored warning tensor-as-text
    sorted-by-tensor values-as-keys
    numpy-number
    shrinking-loop
    tensor-chooses-module tensor-as-index tensor-as-element tensor-as-length
    tolist-sizes compare-values tolist
    empty-selection loop-over-hits
    branch-break tensor-as-count
    item-reported position-in-buffer
    item item-captured math-of-tensor
    item-size item-checked-size symbol-checked
    branch-report branch-uncompiled
    branch-while branch-raise branch-raise-in-graph branch-assert
    branch-decided
    not-of-tensor and-or-of-tensors
    branch-where branch-cond
    item-branch
    masked-update masked-write captured-sizes
    unique bincount repeat-interleave
    nonzero boolean-mask dynamic-shape-captured
    condition-on-size
    numpy-random-number numpy-function
    manual-seed generator python-random
    backward autograd-grad requires-grad module-backward-hook hook-registered-inside
    optimizer host-work distributed-data-parallel fully-sharded
    lock context-manager
    iterator-from-outside max-with-key
    deepcopy id-of-tensor set-only-uncompiled
    exception-leaves exception-init
    data-ptr packed-sequence recurrent-layer scripted-module
    c-function custom-operator import foreign-object operator-without-fake
    autograd-functional proxy-argument asynchronous-collective
    eager-only loop-body
"""
"""By topic; of those that apply to a graph break the first one is the best."""

_TAILORED: dict[str, Callable[[Code], str]] = {
    "branch-assert": branches.assertion,
    "branch-cond": branches.one_side,
    "branch-raise-in-graph": branches.assertion,
    "branch-where": branches.choice,
    "item-branch": branches.choice_by_number,
    "not-of-tensor": branches.bool_tensor,
    "and-or-of-tensors": branches.bool_tensor,
    "item": items.kept_tensor,
    "math-of-tensor": items.torch_function,
    "tensor-as-element": items.element,
    "boolean-mask": masked.selection,
    "masked-update": masked.update,
    "masked-write": masked.write,
    "numpy-number": numpy_numbers.python_numbers,
    "item-checked-size": size_uses.checked_size,
    "symbol-checked": size_uses.checked_symbol,
    "item-reported": reports.number_in_the_caller,
    "logging-ignored": reports.ignored_method,
    "logging": moving.in_the_caller,
    "print": moving.in_the_caller,
    "warning": moving.in_the_caller,
    "c-function": moving.call_before,
}
"""The fix in the words of the user's code; empty where that is not certain."""

_EDITS: dict[str, Callable[[Code], tuple[Edit, ...]]] = {
    "branch-assert": branches.assertion_edits,
    "branch-cond": branches.one_side_edits,
    "branch-raise-in-graph": branches.assertion_edits,
    "branch-where": branches.choice_edits,
    "item-branch": branches.choice_by_number_edits,
    "not-of-tensor": branches.bool_tensor_edits,
    "and-or-of-tensors": branches.bool_tensor_edits,
    "item": items.kept_tensor_edits,
    "math-of-tensor": items.torch_function_edits,
    "tensor-as-element": items.element_edits,
    "masked-update": masked.update_edits,
    "numpy-number": numpy_numbers.python_numbers_edits,
    "item-checked-size": size_uses.checked_size_edits,
    "symbol-checked": size_uses.checked_symbol_edits,
}
"""The same as changes of the file."""

ALL: tuple[Advice, ...] = tuple(
    read_case(name, _TAILORED.get(name), _EDITS.get(name)) for name in _ORDER.split()
)


def best(found: Break) -> Advice | None:
    """The advice for a graph break: one for its situation before one for its kind."""
    fitting = [item for item in ALL if not item.other_way_of and item.applies(found)]
    return min(fitting, key=lambda item: item.is_general, default=None)


def other_ways(advice: Advice, found: Break) -> tuple[Advice, ...]:
    """Other ways to do what an advice does about a graph break."""
    return tuple(item for item in ALL if advice.id in item.other_way_of and item.applies(found))


def elsewhere(found: Break) -> tuple[Advice, ...]:
    """What leaves the line that broke as it is, the best first: settings, and what callers do."""
    fitting = [item for item in ALL if item.holds_elsewhere and item.applies(found)]
    return tuple(sorted(fitting, key=lambda item: item.is_general))


def about(gb_id: str, gb_type: str | None = None) -> tuple[Advice, ...]:
    """All advice on a kind of graph break, in the order of the table."""
    return tuple(item for item in ALL if item.covers(gb_id, gb_type))
