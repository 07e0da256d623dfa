"""Why two steps are two, in a sentence about them, and what to change where that helps."""

import dataclasses

from inspector.features.graph.buffer_uses import matches_program, telling, uses_reason
from inspector.features.graph.fusion import Step
from inspector.features.graph.reasons import KNOWN, NODES_BETWEEN, Reason, explain
from inspector.features.graph.reduction_reasons import (
    about_dimensions,
    about_parts,
    about_result,
    about_rounded,
)
from inspector.features.graph.step_names import numbered
from inspector.features.graph.step_pair import StepPair
from inspector.records.fusion import Apart

_LIBRARY = Reason("library", "{call} is a library call, and Inductor cannot fuse anything into it.")
TEMPLATES = (
    'Try `mode="max-autotune"`; Inductor\'s own templates can fuse pointwise operators '
    "before and after."
)
"""What to change about a multiplication or a convolution that a library computes."""
_CHANNELS = Reason(
    "library",
    "{call} is a library call that needs its inputs in another memory format, so they are copied.",
    "Use memory_format=torch.channels_last for the model and its input.",
)
_WRITE = "Use operators that Inductor generates code for."
_FALLBACK = Reason(
    "library",
    "{call} has no Inductor code and runs as in eager PyTorch, so nothing fuses with it.",
    _WRITE,
)
_OTHERS = Reason(
    "library",
    "{call} is a custom operator and runs as in eager PyTorch, so nothing fuses with it.",
    _WRITE,
)
_OWN = Reason(
    "user kernel",
    "{call} is a user-defined Triton kernel, which Inductor does not modify.",
    "Move the operators before or after it into that kernel.",
)
_STORES = (
    " From torch 2.13 on, torch._inductor.config.epilogue_fusion_user_defined_triton_kernel = True "
    "fuses the operators after it, if it has a single tl.store."
)
_LOOPS = Reason(
    "shape",
    "Their loops have different sizes ({0} and {1}). In C++, Inductor fuses only loops with the "
    "same sizes or the same outer sizes.",
)
# What these say to change is tried by benchmarks/not_fused.py.
_IN_PLACE = Reason(
    "mutation",
    "{first} changes part of an input in place, but {second} uses all of it, in different loops.",
    "Return a new tensor instead of changing one in place.",
)
_PART = Reason("shape", "{first} writes one part of a concatenation, but {second} reads all of it.")
_BETWEEN = KNOWN[NODES_BETWEEN]
_EPILOGUE = {
    "reduction": Reason(
        "template",
        "The template {first} can fuse only pointwise operators into its epilogue, and "
        "{second} is a reduction.",
    ),
    "mutation": Reason(
        "mutation",
        "{second} writes in place, or into memory that another tensor shares. The template {first} "
        "cannot fuse that into its epilogue.",
        "Return a new tensor instead of changing one in place.",
    ),
    "off": Reason(
        "template",
        "The template {first} could fuse {second} into its epilogue, but epilogue fusion is "
        "disabled.",
        "Set torch._inductor.config.epilogue_fusion = True.",
    ),
}
# Torch's reasons that say no more than that the two use what they share differently.
_ABOUT_USES = ("no shared data", "memory deps did not match")
_MULTIPLIES = ("mm", "addmm", "bmm", "baddbmm", "convolution", "_scaled_mm", "_int_mm")


def reason_of(pair: StepPair) -> Reason | None:
    """The reason, with the two in the sentence; None where it is unknown."""
    call = next((step for step in (pair.first, pair.second) if step.is_call), None)
    if call is not None:
        return _of_call(pair, call)
    found = about_parts(pair) or (_of_said(pair, pair.apart) if pair.apart else _of_loops(pair))
    if found is not None:
        return found
    memory = pair.fusion.memory
    parts = (memory.root(name) for name in pair.first.writes if memory.is_part(name))
    if any(root in pair.second.reads for root in parts):
        return pair.reason(_PART)
    return pair.reason(_BETWEEN) if pair.is_passed_on and pair.has_step_between() else None


def _of_said(pair: StepPair, apart: Apart) -> Reason | None:
    steps = (pair.first, pair.second) if pair.is_in_order else (pair.second, pair.first)
    names = numbered(pair.fusion, steps[0]), numbered(pair.fusion, steps[1])
    if apart.reason.startswith(_ABOUT_USES):
        # Torch looks at what stands between two only after it looked at what they share.
        between = pair.reason(_BETWEEN) if pair.has_step_between() else None
        reason = between or about_result(pair) or _of_reductions(pair, apart, steps)
        reason = reason or _of_change(pair)
        reason = reason or uses_reason(pair.fusion, apart.uses, steps, names)
        if reason is not None:
            return reason
    found = explain(apart.reason, apart.arguments)
    if apart.reason == "template epilogue not satisfied":
        is_changed = any(item.mutates for item in pair.operations(steps[1]))
        why = "mutation" if is_changed else "off"
        found = _EPILOGUE["reduction" if steps[1].kind == "reduction" else why]
    return dataclasses.replace(found, sentence=found.between(*names)) if found else None


def _of_reductions(pair: StepPair, apart: Apart, steps: tuple[Step, Step]) -> Reason | None:
    """Whether they go another way; loops of other sizes can be those of a reduction in parts."""
    use = telling(apart.uses)
    if use is None or use.kind != "part" or matches_program(pair.fusion, use, steps):
        return about_dimensions(pair)
    return about_rounded(pair) or about_dimensions(pair)


def _of_change(pair: StepPair) -> Reason | None:
    """Whether the earlier one changes an input of the graph in place that the later one uses."""
    changed = {
        name
        for item in pair.operations(pair.first)
        for name in item.mutates
        if any(pair.fusion.memory.root(written) in pair.shared for written in item.writes)
    }
    buffers = [pair.fusion.buffers.get(name) for name in changed]
    is_input = any(buffer is not None and buffer.kind == "input" for buffer in buffers)
    return pair.reason(_IN_PLACE) if is_input else None


def _of_call(pair: StepPair, call: Step) -> Reason:
    kinds = {"fallback": _FALLBACK, "user_kernel": _OWN, "custom": _OTHERS}
    # All that stands before a convolution may be its input in another memory order.
    names, before = ({node.name for node in each.operators} for each in (call, pair.first))
    is_copy = "convolution" in call.name.split(".") and call is pair.second and before == names
    reason = _CHANNELS if is_copy else kinds.get(call.call_kind, _LIBRARY)
    change = TEMPLATES if _can_be_template(pair, call) else reason.change
    if call.kind == "fallback" and "attention" in call.name:
        change = ""  # a kernel of its own is what attention is best done with
    is_stored = call is pair.first and pair.is_passed_on and pair.second.kind == "pointwise"
    change += _STORES if reason is _OWN and is_stored else ""
    sentence = reason.sentence.format(call=numbered(pair.fusion, call))
    return dataclasses.replace(reason, sentence=sentence, change=change)


def _can_be_template(pair: StepPair, call: Step) -> bool:
    """Whether there are templates for the call that compute pointwise operators like the other.

    They do so with what they load and with what they store, convolutions with the latter alone;
    two that only read the same tensor stay apart.
    """
    parts = call.name.split(".")
    other = pair.second if call is pair.first else pair.first
    is_behind = other is pair.second
    return (
        call.kind == "extern"
        and not any(item.device.startswith("cpu") for item in pair.operations(call))
        and any(part in _MULTIPLIES for part in parts)
        and pair.is_passed_on
        and other.kind != "reduction"
        and (is_behind or "convolution" not in parts)
    )


def _of_loops(pair: StepPair) -> Reason | None:
    """``CppScheduling`` gives no reasons (torch/_inductor/codegen/cpp.py, 2.11 to 2.13)."""
    if not pair.is_in_cpp:
        return None
    sizes = []
    for step in (pair.first, pair.second):
        inner = pair.operations(step)
        found = (" by ".join(size for part in item.sizes for size in part) for item in inner)
        sizes.append(max(found, key=len, default="?"))
    if sizes[0] == sizes[1]:
        return None
    return dataclasses.replace(_LOOPS, sentence=_LOOPS.sentence.format(*sizes))
