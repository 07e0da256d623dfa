"""All advice, and which of it is meant for a graph break."""

from collections.abc import Callable

from inspector.features.breaks.advice import branches, items, masked, moving, reports
from inspector.features.breaks.advice.advice import Advice, Break, read_case
from inspector.features.breaks.advice.edits import Fix
from inspector.report.user_code.code import Code

_ORDER = """
    checkpointed-value
    print print-reordered logging logging-ignored warning tensor-as-text
    sorted-by-tensor
    numpy-number
    shrinking-loop
    loop-by-value
    tensor-as-index tensor-as-element tensor-as-length
    compare-values
    empty-selection loop-over-hits
    branch-random branch-random-select branch-break
    item-reported position-in-buffer slice-write
    item item-captured math-of-tensor
    item-size symbol-checked tolist
    branch-report branch-uncompiled branch-raise-in-graph branch-assert
    branch-decided
    not-of-tensor and-or-of-tensors
    branch-where branch-cond
    item-branch
    masked-update captured-sizes
    operator-untraced selection-to-list repeat-interleave nonzero boolean-mask
    dynamic-shape-captured
    condition-on-size
    numpy-function
    random-numbers
    training-step host-work distributed-data-parallel fully-sharded
    context-manager
    iterator-from-outside
    deepcopy id-of-tensor
    exception-leaves
    packed-sequence recurrent-layer
    c-function import foreign-object operator-without-fake
    autograd-derivative proxy-argument
    eager-only loop-body
"""
"""By topic; of those that apply to a graph break the first one is the best."""


def _as_text(make: Callable[[Code], str]) -> Callable[[Code], Fix]:
    return lambda code: Fix(make(code))


_TAILORED: dict[str, Callable[[Code], Fix]] = {
    "branch-assert": branches.assertion,
    "branch-raise-in-graph": branches.assertion,
    "branch-where": branches.choice,
    "item-branch": branches.choice_by_number,
    "not-of-tensor": branches.bool_tensor,
    "and-or-of-tensors": branches.bool_tensor,
    "item": items.tensor_for_number,
    "tensor-as-element": items.element,
    "boolean-mask": _as_text(masked.selection),
    "masked-update": masked.update,
    "item-reported": _as_text(reports.number_in_the_caller),
    "logging-ignored": _as_text(reports.ignored_method),
    "logging": _as_text(moving.in_the_caller),
    "print": _as_text(moving.in_the_caller),
    "warning": _as_text(moving.in_the_caller),
    "c-function": _as_text(moving.call_before),
}
"""The fix for the user's own code."""

ALL: tuple[Advice, ...] = tuple(read_case(name, _TAILORED.get(name)) for name in _ORDER.split())


def best(found: Break) -> Advice | None:
    """The advice for a graph break: one for its situation, one for its kind, or a setting."""
    fitting = [item for item in ALL if not item.other_way_of and item.applies(found)]
    return min(fitting or elsewhere(found), key=lambda item: item.is_general, default=None)


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
