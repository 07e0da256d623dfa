"""All advice, and which of it is meant for a graph break."""

from __future__ import annotations

from inspector.advice import (
    arrays,
    branch_side_effects,
    branches,
    caught,
    checkpoints,
    checks,
    comparisons,
    compiler,
    compiling,
    contexts,
    counts,
    emptiness,
    error_classes,
    gradients,
    indices,
    item_branches,
    item_sizes,
    iterators,
    layers,
    lengths,
    libraries,
    list_sizes,
    logged_scalars,
    loops,
    masked_updates,
    masked_writes,
    negations,
    numpy_numbers,
    objects,
    positions,
    printing,
    python_values,
    randomness,
    reported,
    scalars,
    shapes,
    shrinking,
    sym_bools,
    system,
    tensors,
    training,
)
from inspector.advice.advice import Advice, Break

ALL: tuple[Advice, ...] = (
    *checkpoints.ADVICE,
    *printing.ADVICE,
    *python_values.ADVICE,
    *numpy_numbers.ADVICE,
    *shrinking.ADVICE,
    *indices.ADVICE,
    *lengths.ADVICE,
    *list_sizes.ADVICE,
    *comparisons.ADVICE,
    *emptiness.ADVICE,
    *loops.ADVICE,
    *logged_scalars.ADVICE,
    *positions.ADVICE,
    *scalars.ADVICE,
    *item_sizes.ADVICE,
    *reported.ADVICE,
    *checks.ADVICE,
    *caught.ADVICE,
    *branch_side_effects.ADVICE,
    *negations.ADVICE,
    *branches.ADVICE,
    *item_branches.ADVICE,
    *masked_updates.ADVICE,
    *masked_writes.ADVICE,
    *counts.ADVICE,
    *shapes.ADVICE,
    *sym_bools.ADVICE,
    *arrays.ADVICE,
    *randomness.ADVICE,
    *gradients.ADVICE,
    *training.ADVICE,
    *contexts.ADVICE,
    *system.ADVICE,
    *iterators.ADVICE,
    *objects.ADVICE,
    *compiling.ADVICE,
    *error_classes.ADVICE,
    *tensors.ADVICE,
    *layers.ADVICE,
    *libraries.ADVICE,
    *compiler.ADVICE,
)
"""By topic; of those that apply to a graph break the first one is the best."""


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
