"""Why a reduction is apart: Inductor does it in two parts, or the other goes another way.

A reduction with few results is done in two parts, so that all of the GPU has something to do
(``Reduction.num_splits`` in torch/_inductor/ir.py, 2.11 to 2.13). What is said here to help is
tried by benchmarks/not_fused.py.
"""

import dataclasses
import math
from collections.abc import Collection, Sequence

from inspector.features.graph.buffer_uses import loops
from inspector.features.graph.fusion import Step
from inspector.features.graph.reasons import Reason
from inspector.features.graph.step_pair import StepPair
from inspector.records.fusion import Operation

_ONE_KERNEL = (
    "Set torch._inductor.config.split_reductions = False to get one kernel per reduction, with "
    "fewer blocks at a time."
)
_SPLIT = Reason(
    "reduction",
    "{first} and {second} are the two stages of one split reduction. In the first, many blocks "
    "each reduce a part; the second combines their results.",
    _ONE_KERNEL,
)
_BEHIND_SPLIT = Reason(
    "reduction",
    "{first} is the second stage of a split reduction and iterates only over partial results, "
    "but {second} iterates over all elements.",
    _ONE_KERNEL,
)
_BESIDE_SPLIT = Reason(
    "reduction",
    "{first} or {second} is the first stage of a split reduction. There, many blocks each reduce "
    "a part, so its loops differ from the other's.",
    _ONE_KERNEL,
)
_DIMENSIONS = Reason(
    "reduction",
    "{first} and {second} reduce different dimensions of a shared tensor, so neither can iterate "
    "over it in the order of the other.",
)
_RESULT = Reason(
    "reduction",
    "{first} is a reduction and {second} reads its result, so the reduction must finish first. "
    "One kernel could do both only if {second} processed the results in the order of the "
    "reduction, but its loops use another order.",
)
_LAYOUT = (
    "torch._inductor.config.layout_optimization = False keeps the result of a convolution in the "
    "model's memory order, in which one kernel can do both. Convolutions may be slower with it."
)
_INNERMOST = (
    "Make the reduced dimensions the innermost in memory: memory_format=torch.channels_last for a "
    "reduction over channels."
)
_MIXED = (
    "Set torch._inductor.config.triton.mix_order_reduction_non_strict_mode = True to try one "
    "kernel for sums over rows and over columns, however small."
)


def about_parts(pair: StepPair) -> Reason | None:
    """Whether a reduction in two parts keeps what is passed on from being fused."""
    if not pair.is_passed_on:
        return None
    first = pair.operations(pair.first)
    if _second_parts(first, pair.operations(pair.second)):
        return pair.reason(_SPLIT)
    said = pair.apart.reason if pair.apart else ""
    is_over_elements = said.startswith("nodes numel") and pair.second.kind != "reduction"
    if is_over_elements and _second_parts(pair.fusion.plan.operations, first):
        return pair.reason(_BEHIND_SPLIT)
    return None


def about_result(pair: StepPair) -> Reason | None:
    """Whether the later one needs complete results of a reduction, and goes over more than them."""
    results = {
        pair.fusion.memory.root(name): math.prod(map(_number, item.sizes[0]))
        for item in _reductions(pair, pair.first)
        if item.sizes
        for name in item.writes
    }
    elements = [math.prod(_number(size) for part in item.sizes for size in part)
                for item in pair.operations(pair.second)]  # fmt: skip
    if pair.second.kind == "reduction":
        return None
    passed = [results[root] for root in map(pair.fusion.memory.root, pair.shared)
              if root in results]  # fmt: skip
    if not passed or max(elements, default=0) <= min(passed):
        return None
    if _second_parts(pair.fusion.plan.operations, pair.operations(pair.first)):
        return pair.reason(_BEHIND_SPLIT)
    return pair.reason(dataclasses.replace(_RESULT, change=_order_change(pair, results)))


def _order_change(pair: StepPair, results: Collection[str]) -> str:
    """The memory order in which one kernel can do both, where both use the same elements."""
    memory = pair.fusion.memory
    elements = {memory.root(name) for name in pair.shared} - {*results}
    if not any(len(memory.buffer(name).shape) > 1 for name in elements):
        return ""
    convolved = {
        memory.root(name)
        for step in pair.fusion.steps
        if step.is_call and "convolution" in step.name.split(".")
        for name in step.writes
    }
    if elements & convolved:
        return _LAYOUT
    for use in pair.apart.uses if pair.apart else ():
        text = use.first if pair.is_in_order else use.second
        walk = loops(text) if memory.root(use.buffer) in elements else None
        if walk and walk[-1][0] == 1:
            return ""  # its last loop goes from one element in memory to the next already
    return _INNERMOST


def about_dimensions(pair: StepPair) -> Reason | None:
    """Whether a reduction goes over what both use in an order that the other cannot have."""
    kinds = {use.kind for use in pair.apart.uses} if pair.apart else set()
    return _about_order(pair) if kinds & {"order", "index"} else None


def about_rounded(pair: StepPair) -> Reason | None:
    """The same of a reduction in two parts that rounds its size up, and so goes over more."""
    steps = pair.first, pair.second
    is_rounded = any(step.kind == "reduction" and _is_first_part(pair, step) for step in steps)
    return _about_order(pair) if is_rounded else None


def _about_order(pair: StepPair) -> Reason | None:
    steps = pair.first, pair.second
    reductions = [step for step in steps if step.kind == "reduction"]
    if not reductions:
        return None
    parts = [_is_first_part(pair, step) for step in reductions]
    if len(reductions) == len(steps):
        if any(parts) and not all(parts) and _is_same_matrix(pair):
            return pair.reason(_BESIDE_SPLIT)
        change = _MIXED if _can_be_mixed(pair) else ""
        return pair.reason(dataclasses.replace(_DIMENSIONS, change=change))
    # What is written by a reduction is read by it in its own order, in parts or not.
    is_behind = pair.is_passed_on and reductions[0] is pair.first
    return pair.reason(_BESIDE_SPLIT) if any(parts) and not is_behind else None


def _is_first_part(pair: StepPair, step: Step) -> bool:
    return bool(_second_parts(pair.operations(step), pair.fusion.plan.operations))


def _second_parts(before: Sequence[Operation], parts: Sequence[Operation]) -> list[Operation]:
    """Reductions that read what others of the same origin have written, and nothing else."""
    found = []
    for part in parts:
        same = [one for one in before if one is not part and set(part.origins) <= set(one.origins)]
        written = {name for one in same if one.kind == "reduction" for name in one.writes}
        if part.kind == "reduction" and part.origins and part.reads and written >= {*part.reads}:
            found.append(part)
    return found


def _can_be_mixed(pair: StepPair) -> bool:
    """By those checks of ``MixOrderReduction.can_fuse`` that a plan lets one repeat.

    In torch/_inductor/scheduler.py, 2.11 to 2.13: both add up a matrix, one its rows, the other
    its columns, and neither needs the other.
    """
    if pair.is_in_cpp or pair.first in pair.needed():
        return False
    both = [_reductions(pair, step) for step in (pair.first, pair.second)]
    sizes = [{_matrix(pair, item, items) for item in items} for items in both]
    is_turned = len(sizes[0] | sizes[1]) > 1 and sizes[0] == {(n, m) for m, n in sizes[1]}
    origins = (item.origins for items in both for item in items)
    names = [{name.rstrip("_0123456789") for name in each} for each in origins]
    return is_turned and all(
        each & {"sum", "prod"} and not each & {"amax", "amin", "var_mean"} for each in names
    )


def _is_same_matrix(pair: StepPair) -> bool:
    """Whether both have as many results of as many elements, and no other way to reduce has."""
    both = [_reductions(pair, step) for step in (pair.first, pair.second)]
    sizes = {_matrix(pair, item, items) for items in both for item in items}
    # The fewest elements of each result: parts of a first part are as long, so rounded up.
    fewest = 0
    for item, beside in ((item, items) for items in both for item in items):
        results, elements = _matrix(pair, item, beside)
        parts = math.prod(map(_number, item.sizes[0])) if item.sizes else 0
        fewest = max(fewest, elements - max(0, parts // max(results, 1) - 1))
    return len({results for results, _ in sizes}) == 1 and all(
        fewest <= elements != results for results, elements in sizes
    )


def _reductions(pair: StepPair, step: Step) -> list[Operation]:
    return [item for item in pair.operations(step) if item.kind == "reduction"]


def _matrix(pair: StepPair, operation: Operation, beside: Sequence[Operation]) -> tuple[int, int]:
    """Its results, and the elements of each; of a first part, those of both parts together."""
    each = [math.prod(map(_number, sizes)) for sizes in operation.sizes]
    # A variance has three first parts, and the second reads all of them.
    same = [item for item in beside if item.origins == operation.origins]
    second = _second_parts(same, pair.fusion.plan.operations)
    results = math.prod(map(_number, (second[0] if second else operation).sizes[0])) if each else 0
    return results, math.prod(each) // max(results, 1)


def _number(size: str) -> int:
    return int(size) if size.isdecimal() else 0
