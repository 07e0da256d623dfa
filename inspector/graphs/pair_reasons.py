"""Why two steps are two, in a sentence about them, and what to change where that helps."""

from __future__ import annotations

import dataclasses

from inspector.events.fusion import Apart
from inspector.graphs.between import Between
from inspector.graphs.buffer_uses import told_uses
from inspector.graphs.fusion import Step
from inspector.graphs.reasons import Reason, explain
from inspector.graphs.reasons_table import KNOWN
from inspector.graphs.reduction_reasons import about_dimensions, about_parts
from inspector.graphs.step_names import described

__all__ = ["TEMPLATES", "reason_of"]

_LIBRARY = Reason(
    "{call} is a call of a library: Inductor does not write its code, and fuses nothing with it.",
    "",
    "library",
)
TEMPLATES = (
    '`mode="max-autotune"` tries templates of Inductor\'s own instead, with which what stands '
    "before or behind can be fused."
)
"""What to change about a multiplication or a convolution that a library computes."""
_CHANNELS = Reason(
    "{call} is a call of a library, which wants its inputs in another memory order: they are "
    "copied before.",
    "Give the model, and its input, memory_format=torch.channels_last.",
    "library",
)
_FALLBACK = Reason(
    "{call} has no code of Inductor's and is left to eager PyTorch: nothing is fused with it.",
    "Write it with operators that Inductor generates code for, if it is worth it.",
    "library",
)
_OWN = Reason(
    "{call} is a kernel that the program brings along: Inductor does not change it.",
    "Do in that kernel what stands before or behind it.",
    "user kernel",
)
_STORES = (
    " From torch 2.13 on, torch._inductor.config.epilogue_fusion_user_defined_triton_kernel = True "
    "lets Inductor do what stands behind it, where it has a single tl.store."
)
_LOOPS = Reason(
    "Their loops have other sizes ({0} and {1}), and in C++ Inductor fuses loops over the same "
    "sizes, or those that agree on the outer ones.",
    "",
    "shape",
)
# What these say to change is tried by benchmarks/not_fused.py.
_IN_PLACE = Reason(
    "{first} changes a part of an input in place, and {second} uses the whole, so in other loops.",
    "Return a new tensor instead of changing one in place.",
    "mutation",
)
_BETWEEN = KNOWN["intermediate nodes between node1 & node2"].reason
_EPILOGUE = {
    "reduction": Reason(
        "The template {first} can compute pointwise operators before it stores its result; "
        "{second} is a reduction.",
        "",
        "template",
    ),
    "mutation": Reason(
        "{second} writes in place, or into memory that another tensor shares: the template {first} "
        "does not compute that before it stores its result.",
        "Return a new tensor instead of changing one in place.",
        "mutation",
    ),
    "off": Reason(
        "The template {first} could compute {second} before it stores its result; that is "
        "switched off.",
        "torch._inductor.config.epilogue_fusion = True.",
        "template",
    ),
}
# Torch's reasons that say no more than that the two use what they share differently.
_ABOUT_USES = ("no shared data", "memory deps did not match")
_MULTIPLIES = ("mm", "addmm", "bmm", "baddbmm", "convolution", "_scaled_mm", "_int_mm")


def reason_of(pair: Between) -> Reason | None:
    """The reason, with the two in the sentence; None where it is unknown."""
    call = next((step for step in (pair.first, pair.second) if step.is_call), None)
    said = _of_said(pair, pair.apart) if pair.apart else None
    if call is not None:
        is_told = call.kind == "user_kernel" and said is not None and said.kind == "user kernel"
        return said if is_told else _of_call(pair, call)
    return about_parts(pair) or (said if pair.apart else _of_loops(pair))


def _of_said(pair: Between, apart: Apart) -> Reason | None:
    found = explain(apart.reason, apart.arguments)
    if found is None:
        return None
    steps = (pair.first, pair.second) if pair.is_in_order else (pair.second, pair.first)
    names = described(steps[0]), described(steps[1])
    if apart.reason.startswith(_ABOUT_USES):
        # Torch looks at what stands between two only after it looked at what they share.
        between = pair.told(_BETWEEN) if pair.has_one_between() else None
        told = between or about_dimensions(pair) or _of_change(pair)
        told = told or told_uses(pair.fusion, apart.uses, names)
        if told is not None:
            return told
    if apart.reason == "template epilogue not satisfied":
        found = _EPILOGUE[_against_epilogue(pair, steps[1])]
    return dataclasses.replace(found, sentence=found.between(*names))


def _of_change(pair: Between) -> Reason | None:
    """Whether the earlier one changes an input of the graph in place that the later one uses."""
    changed = {
        name
        for item in pair.operations(pair.first)
        for name in item.mutates
        if not set(item.writes).isdisjoint(pair.shared)
    }
    buffers = [pair.fusion.buffers.get(name) for name in changed]
    is_input = any(buffer is not None and buffer.kind == "input" for buffer in buffers)
    return pair.told(_IN_PLACE) if is_input else None


def _of_call(pair: Between, call: Step) -> Reason:
    kinds = {"fallback": _FALLBACK, "user_kernel": _OWN}
    reason = _CHANNELS if _is_copy_for(pair, call) else kinds.get(call.kind, _LIBRARY)
    change = TEMPLATES if _can_be_template(pair, call) else reason.change
    is_stored = call is pair.first and pair.is_passed_on and pair.second.kind == "pointwise"
    change += _STORES if reason is _OWN and is_stored else ""
    sentence = reason.sentence.format(call=described(call))
    return dataclasses.replace(reason, sentence=sentence, change=change)


def _is_copy_for(pair: Between, call: Step) -> bool:
    """Whether all that stands before a convolution is its input in another memory order."""
    names = {node.name for node in call.operators}
    is_alone = {node.name for node in pair.first.operators} == names
    return "convolution" in call.name.split(".") and call is pair.second and is_alone


def _can_be_template(pair: Between, call: Step) -> bool:
    """Whether there are templates for the call that compute pointwise operators like the other.

    They do so with what they load and with what they store, convolutions with the latter alone;
    two that only read the same tensor stay apart.
    """
    parts = call.name.split(".")
    other = pair.second if call is pair.first else pair.first
    is_behind = other is pair.second
    return (
        call.kind == "extern"
        and any(part in _MULTIPLIES for part in parts)
        and pair.is_passed_on
        and other.kind != "reduction"
        and (is_behind or "convolution" not in parts)
    )


def _against_epilogue(pair: Between, step: Step) -> str:
    if step.kind == "reduction":
        return "reduction"
    return "mutation" if any(item.mutates for item in pair.operations(step)) else "off"


def _of_loops(pair: Between) -> Reason | None:
    """``CppScheduling`` gives no reasons (torch/_inductor/codegen/cpp.py, 2.11 to 2.13)."""
    sizes = [_sizes(pair, step) for step in (pair.first, pair.second)]
    if not pair.is_in_cpp or sizes[0] == sizes[1]:
        return None
    return dataclasses.replace(_LOOPS, sentence=_LOOPS.sentence.format(*sizes))


def _sizes(pair: Between, step: Step) -> str:
    inner = pair.operations(step)
    found = [" by ".join(size for part in item.sizes for size in part) for item in inner]
    return max(found, key=len, default="?")
