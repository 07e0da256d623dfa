"""Why Inductor put two operators into two kernels, in words that say what to change.

Read from the code around each ``WhyNoFuse`` in torch 2.11 to 2.13: torch/_inductor/scheduler.py,
choices.py and codegen/simd.py. Of those that are not here torch's own words are shown.

``{first}`` is the node that torch names first. It is mostly the earlier one, but not always: torch
tries templates and foreach kernels in both orders, and codegen/simd.py puts the pointwise node
before the reduction. Where the order matters, the sentence says what is true of each.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Literal

Kind = Literal[
    "benefit", "device", "layout", "library", "memory", "mutation", "order", "reduction", "shape",
    "size-limit", "template", "user kernel",
]  # fmt: skip
"""What a reason is about. ``benefit``: torch could fuse the two, and expects nothing from it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """Why two operators are two kernels.

    Attributes:
        sentence: Reason why they were not fused. ``{first}`` and ``{second}`` are placeholders for
            the operators, ``{0}``, ``{1}``… for torch's arguments. None if unknown.
        change: Change to the program or its settings that allows fusion, if there is one.
    """

    kind: Kind
    sentence: str
    change: str = ""

    def between(self, first: str, second: str) -> str:
        """The sentence about two operators, described as the reader knows them."""
        return self.sentence.format(first=first, second=second)


_CONFIG = "torch._inductor.config"
_SAME_ACCESS = (
    "Move the transpose, slice, gather or .contiguous() before both or after both, not between."
)
_PLAIN = "Use operators on single tensors instead of one torch._foreach_ function."
NODES_BETWEEN = "intermediate nodes between node1 & node2"
KNOWN: Mapping[str, Reason] = {
    # Scheduler.can_fuse, can_fuse_vertical and will_fusion_create_cycle
    "device mismatch (%s vs %s)": Reason(
        "device",
        "{first} runs on {0}, but {second} runs on {1}.",
        "Create the tensors on one device, or move them there before both operators run.",
    ),
    "prologue fusion turned off": Reason(
        "template",
        "{first} feeds the template {second}, which could fuse it into its prologue, but prologue "
        "fusion is disabled.",
        f"Set {_CONFIG}.prologue_fusion = True, if the template supports it.",
    ),
    "memory deps did not match": Reason(
        "layout",
        "A loop step of {second} needs elements that {first} writes in another step (a transpose, "
        "shift, gather, atomic add), or overwrites elements that {first} reads.",
        _SAME_ACCESS,
    ),
    NODES_BETWEEN: Reason(
        "order",
        "{second} also needs another kernel that reads the result of {first}, so that kernel must "
        "run between them.",
    ),
    "will create cycle": Reason(
        "order",
        "Fusing {first} and {second} would create a cycle, because an already fused kernel depends "
        "on one of them and feeds the other.",
    ),
    # ForeachKernelSchedulerNode.can_fuse
    "candidate producer is not dep of any foreach consumer": Reason(
        "order",
        "{second} works on a list of tensors, but none of its operators reads the result of "
        "{first}.",
        _PLAIN,
    ),
    "candidate consumer has no dep in any foreach producer": Reason(
        "order",
        "{first} works on a list of tensors, and can be fused only if {second} reads the result "
        "of exactly one of its operators.",
        _PLAIN,
    ),
    # InductorChoices.can_fuse and the two that it calls
    "no shared data due to indexing mismatch": Reason(
        "layout",
        "{first} and {second} share a tensor but use different elements in their loops, so "
        "fusion would not save memory traffic.",
        _SAME_ACCESS,
    ),
    "no shared data": Reason(
        "benefit",
        "{first} and {second} do not use the same elements of a tensor in the same loops, so "
        "fusion would not save memory traffic.",
        # Measured with 2.11 and 2.13: aggressive_fusion alone is stopped by the threshold.
        f"{_SAME_ACCESS} For pointwise operators without a common tensor, set "
        f"{_CONFIG}.aggressive_fusion = True and "
        f"{_CONFIG}.score_fusion_memory_threshold = 0.",
    ),
    "exceeds max fusion": Reason(
        "size-limit",
        "{first} and {second} together exceed the maximum number of operators per kernel.",
        f"Raise {_CONFIG}.max_fusion_size (64 by default).",
    ),
    "Fusion will increase peak memory": Reason(
        "memory",
        "Fusing {first} and {second} would keep the inputs of both alive at the same time, which "
        "costs far more memory than it saves in traffic.",
    ),
    "fusion_prevent_too_many_reads_and_writes": Reason(
        "size-limit",
        "{first} and {second} together read and write more tensors than one kernel may.",
        f"Raise {_CONFIG}.max_fusion_unique_io_buffers (no limit by default).",
    ),
    "score_fusion_memory_threshold": Reason(
        "benefit",
        "{first} and {second} are independent and share only a few bytes, so fusion would save "
        "almost no memory traffic.",
        f"Lower {_CONFIG}.score_fusion_memory_threshold, the bytes that a fusion must save "
        "(10 by default).",
    ),
    "Nodes are too far away. Fusing them may increase peak memory.": Reason(
        "memory",
        "{first} and {second} are independent and over 64 operators apart. Fusing them would keep "
        "tensors in memory for all operators in between.",
        "Compute them next to each other in the program.",
    ),
    # SIMDScheduling.can_fuse, which is Triton's
    "numel/rnumel mismatch (reduce) (%s, %s), (%s, %s)": Reason(
        "reduction",
        "{first} reduces {2} elements for each of its {0} results, but {second} reduces {3} "
        "elements for each of its {1} results.",
        "Reduce over the same dimensions of tensors with the same shape.",
    ),
    "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)": Reason(
        "shape", "{first} iterates over {0} elements, but {second} over {1}."
    ),
    "tiling mismatch (%s, %s, %s)": Reason(
        "layout",
        "{first} and {second} need the tiles {0} and {1} because of their memory layouts, but {2} "
        "if fused.",
        f"Use one memory layout for both, or set {_CONFIG}.triton.tiling_prevents_pointwise_fusion "
        "= False.",
    ),
    "nodes numel/rnumel incompatibility": Reason(
        "reduction",
        "{first} has as many elements as the input of the reduction {second}, but its loops cannot "
        "be split into reduced and kept dimensions.",
        "Keep the reduced dimensions separate: do not reshape between the two.",
    ),
    "invalid tiling for reduction": Reason(
        "layout",
        "The memory layout of {first} needs tiles that the reduction {second} cannot use.",
        f"Use one memory layout for both, or set {_CONFIG}.triton.tiling_prevents_reduction_fusion "
        "= False.",
    ),
    "nodes numel incompatibility": Reason(
        "reduction",
        "{first} iterates over neither the inputs nor the results of the reduction {second}; the "
        "numbers of elements differ.",
    ),
}
"""By the format that torch gives."""

_ARGUMENT = re.compile(r"\{(\d+)\}")


def explain(reason: str, arguments: Sequence[str]) -> Reason | None:
    """What a refusal of Inductor's scheduler means; None where `formatted` has all that is known.

    Args:
        reason: What torch gave to ``WhyNoFuse``: a format, without the arguments in it.
        arguments: Of the format, as texts.
    """
    known = KNOWN.get(reason)
    if known is None:
        return None

    def value(argument: re.Match[str]) -> str:
        """What a recording lacks is a question mark."""
        number = int(argument[1])
        text = " ".join(arguments[number].split()) if number < len(arguments) else "?"
        # `Reason.between` formats the sentence once more.
        return text.replace("{", "{{").replace("}", "}}")

    return dataclasses.replace(known, sentence=_ARGUMENT.sub(value, known.sentence))


def formatted(reason: str, arguments: Sequence[str]) -> str:
    """Torch's own words: the format with its arguments, which a recording has as texts, in it.

    An f-string of torch's may have filled it in already, with any number of ``%``.
    """
    try:
        return reason % tuple(arguments)
    except (TypeError, ValueError):
        return reason
