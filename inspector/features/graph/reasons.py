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
        sentence: With ``{first}`` and ``{second}`` for the operators, ``{0}``, ``{1}``… for torch's
            arguments.
        change: What lets them fuse, or empty where nothing from outside does.
    """

    kind: Kind
    sentence: str
    change: str = ""

    def between(self, first: str, second: str) -> str:
        """The sentence about two operators, described as the reader knows them."""
        return self.sentence.format(first=first, second=second)


_CONFIG = "torch._inductor.config"
_SAME_ACCESS = (
    "Put a transpose, slice, gather or .contiguous() before both or after both, not between them."
)
_PLAIN = "Write operators over single tensors instead of one torch._foreach_ function."
NODES_BETWEEN = "intermediate nodes between node1 & node2"
KNOWN: Mapping[str, Reason] = {
    # Scheduler.can_fuse, can_fuse_vertical and will_fusion_create_cycle
    "device mismatch (%s vs %s)": Reason(
        "device",
        "{first} runs on {0}, {second} on {1}.",
        "Make or move the tensors to one device before both.",
    ),
    "prologue fusion turned off": Reason(
        "template",
        "{first} feeds the template {second}, which could compute it as it loads its inputs; that "
        "is switched off.",
        f"{_CONFIG}.prologue_fusion = True, where the template allows it.",
    ),
    "memory deps did not match": Reason(
        "layout",
        "One step of {second} needs other elements than the same step of {first} has written (a "
        "transpose, a shift, a gather, other loops, atomic adds), or overwrites what {first} still "
        "reads.",
        _SAME_ACCESS,
    ),
    NODES_BETWEEN: Reason(
        "order",
        "{second} also needs another kernel, which needs the result of {first} and so has to run "
        "between them.",
    ),
    "will create cycle": Reason(
        "order",
        "Other kernels, fused before, need the result of the one and are needed by the other: as "
        "one kernel, {first} and {second} would wait for themselves.",
    ),
    # ForeachKernelSchedulerNode.can_fuse
    "candidate producer is a reduction, foreach ops cannot be fused with reductions currently": (
        Reason(
            "reduction",
            "{first} is a reduction, which does not fuse with a kernel over a list of tensors "
            "({second}).",
            _PLAIN,
        )
    ),
    "candidate consumer is a reduction, foreach ops cannot be fused with reductions currently": (
        Reason(
            "reduction",
            "{second} is a reduction, which does not fuse with a kernel over a list of tensors "
            "({first}).",
            _PLAIN,
        )
    ),
    "candidate producer is not dep of any foreach consumer": Reason(
        "order",
        "{second} works on a list of tensors, and none of its operators reads the result of "
        "{first}.",
        _PLAIN,
    ),
    "candidate consumer has no dep in any foreach producer": Reason(
        "order",
        "{first} works on a list of tensors, and {second} reads the result of none or of several "
        "of its operators, not of one.",
        _PLAIN,
    ),
    # InductorChoices.can_fuse and the two that it calls
    "no shared data due to indexing mismatch": Reason(
        "layout",
        "{first} and {second} use a tensor in common, but not its same elements in the same loops: "
        "fused, nothing would be read or written less.",
        _SAME_ACCESS,
    ),
    "no shared data": Reason(
        "benefit",
        "{first} and {second} do not use the same elements of a tensor in the same loops: fused, "
        "nothing would be read or written less.",
        # Measured with 2.11 and 2.13: aggressive_fusion alone is stopped by the threshold.
        f"{_SAME_ACCESS} Pointwise operators that have no tensor in common: "
        f"{_CONFIG}.aggressive_fusion = True together with "
        f"{_CONFIG}.score_fusion_memory_threshold = 0.",
    ),
    "exceeds max fusion": Reason(
        "size-limit",
        "{first} and {second} together are more operators than torch puts into one kernel.",
        f"{_CONFIG}.max_fusion_size says how many (64 unless set).",
    ),
    "Fusion will increase peak memory": Reason(
        "memory",
        "{first} and {second} each read a tensor that nothing else needs, whose memory can be "
        "used again; as one kernel they need both at a time, far more than the fusion saves.",
    ),
    "fusion_prevent_too_many_reads_and_writes": Reason(
        "size-limit",
        "{first} and {second} together read and write more tensors than is allowed for one kernel.",
        f"{_CONFIG}.max_fusion_unique_io_buffers says how many (no limit unless set).",
    ),
    "score_fusion_memory_threshold": Reason(
        "benefit",
        "{first} and {second} are independent and have only a few bytes in common: fused, next to "
        "nothing would be read or written less.",
        f"{_CONFIG}.score_fusion_memory_threshold is the number of bytes that a fusion has to save "
        "(10 unless set).",
    ),
    "Nodes are too far away. Fusing them may increase peak memory.": Reason(
        "memory",
        "{first} and {second} are independent, and over 64 operators apart: as one kernel, tensors "
        "would stay in memory for all that lies between.",
        "Compute them next to each other in the program.",
    ),
    # SIMDScheduling.can_fuse, which is Triton's
    "numel/rnumel mismatch (reduce) (%s, %s), (%s, %s)": Reason(
        "reduction",
        "{first} reduces {2} elements to each of its {0} results, {second} {3} elements to each of "
        "its {1}.",
        "Reduce over the same dimensions of tensors of the same shape.",
    ),
    "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)": Reason(
        "shape", "{first} runs over {0} elements, {second} over {1}."
    ),
    "tiling mismatch (%s, %s, %s)": Reason(
        "layout",
        "The memory orders of {first} and {second} ask for different tiles: {0} and {1}, or {2} "
        "for both.",
        f"Use one memory order for both, or {_CONFIG}.triton.tiling_prevents_pointwise_fusion = "
        "False.",
    ),
    "nodes numel/rnumel incompatibility": Reason(
        "reduction",
        "{first} has as many elements as the reduction {second} goes through, but its loops cannot "
        "be split into what is reduced and what is kept.",
        "Keep the reduced dimensions apart from the others: no reshape between the two.",
    ),
    "invalid tiling for reduction": Reason(
        "layout",
        "The memory order of {first} asks for tiles that the reduction {second} cannot use.",
        f"Use one memory order for both, or {_CONFIG}.triton.tiling_prevents_reduction_fusion = "
        "False.",
    ),
    "nodes numel incompatibility": Reason(
        "reduction",
        "{first} runs neither over the elements that the reduction {second} goes through nor over "
        "its results: their numbers differ.",
    ),
}
"""By the format that torch gives."""

# A conversion of Python's % formatting without a mapping key (the "printf-style String
# Formatting" of the library reference).
_CONVERSION = re.compile(r"%(?:%|[#0\- +]*\d*(?:\.\d+)?[hlL]?[diouxXeEfFgGcrsa])")
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
    """Torch's own words: the format with its arguments in it.

    A recording has the arguments as texts, and some of torch's formats were already filled in by
    an f-string, with whatever is in a shape or a node. So nothing here raises: a conversion
    without an argument stays as it is, and an argument without a conversion is left out.
    """
    remaining = iter(arguments)
    return _CONVERSION.sub(
        lambda found: "%" if found[0] == "%%" else next(remaining, found[0]), reason
    )
