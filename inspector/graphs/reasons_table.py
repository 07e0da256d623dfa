"""The refusals of Inductor's scheduler, one by one.

Read from the code around each ``WhyNoFuse`` in torch 2.11 and 2.13: torch/_inductor/scheduler.py,
choices.py, codegen/simd.py and codegen/cutlass/scheduling.py. Other torch versions word and check
some of it otherwise; tests/compile/test_fusion_reasons.py fails where the installed one does.

``{first}`` is the node that torch names first. It is mostly the earlier one, but not always: torch
tries templates and foreach kernels in both orders, and codegen/simd.py puts the pointwise node
before the reduction. Where the order matters, the sentence says what is true of each.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Literal

__all__ = ["KNOWN", "PATTERNS", "Kind", "Known", "Reason"]

Kind = Literal[
    "benefit",
    "device",
    "layout",
    "library",
    "memory",
    "mutation",
    "order",
    "other",
    "reduction",
    "shape",
    "size-limit",
    "template",
    "user kernel",
]
"""What a refusal is about. ``benefit``: torch could fuse the two, and expects nothing from it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """Why two operators are two kernels.

    Attributes:
        sentence: For the author of the model. A format with the names ``first`` and ``second``
            for the two operators; see `between`.
        change: What lets them fuse, or empty where nothing from outside does.
        kind: What it is about.
    """

    sentence: str
    change: str
    kind: Kind

    def between(self, first: str, second: str) -> str:
        """The sentence about two operators, described as the reader knows them."""
        return self.sentence.format(first=first, second=second)


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A reason, and the torch versions that give it.

    Attributes:
        reason: With ``{0}``, ``{1}``… in the sentence for the arguments of torch's format, or for
            the groups of a pattern.
        versions: Minor versions of torch.
    """

    reason: Reason
    versions: tuple[str, ...]


def _both(kind: Kind, sentence: str, change: str = "") -> Known:
    return Known(Reason(sentence, change, kind), ("2.11", "2.13"))


def _in_2_11(kind: Kind, sentence: str, change: str = "") -> Known:
    return Known(Reason(sentence, change, kind), ("2.11",))


def _in_2_13(kind: Kind, sentence: str, change: str = "") -> Known:
    return Known(Reason(sentence, change, kind), ("2.13",))


_CONFIG = "torch._inductor.config"
_AUTOTUNE = (
    f"For a matrix multiplication or a convolution, {_CONFIG}.max_autotune = True tries templates "
    "too, and pointwise operators can fuse into a template. A custom operator can fuse where it is "
    "written in torch operators."
)
_SAME_ACCESS = (
    "Put a transpose, slice, gather or .contiguous() before both or after both, not between them."
)
_FUNCTIONAL = "Return a new tensor instead of changing one in place."
_PLAIN = "Write operators over single tensors instead of one torch._foreach_ function."
_UNMEASURED = f"{_CONFIG}.benchmark_fusion = False fuses without measuring."
_USER_KERNEL_OUTPUT = (
    "Write the result in the shape and memory order of the kernel's output tensor."
)

KNOWN: Mapping[str, Known] = {
    # From Scheduler.can_fuse in scheduler.py
    "grouped node must not be fused with other nodes": _both(
        "other",
        "A pass keeps {first} or {second} in a group of kernels that nothing else fuses into.",
    ),
    "node1 is extern or nop": _in_2_11(
        "library",
        "{first} calls a library or a fallback operator, or runs no kernel: Inductor writes no "
        "code for it that could also do {second}.",
        _AUTOTUNE,
    ),
    "node2 is extern or nop": _both(
        "library",
        "{second} calls a library or a fallback operator, or runs no kernel: Inductor writes no "
        "code for it that could also do {first}.",
        _AUTOTUNE,
    ),
    "node1 is nop": _in_2_13(
        "other",
        "{first} runs no kernel: it stands for memory that others write (an empty tensor, or a "
        "concatenation whose parts are written in place).",
    ),
    "node1 is extern but not a triton kernel": _in_2_13(
        "library",
        "{first} calls a library or a fallback operator: Inductor writes no code for it that "
        "could also do {second}.",
        _AUTOTUNE,
    ),
    "node1's triton kernel doesn't support epilogue fusion": _in_2_13(
        "user kernel",
        "{first} is a Triton kernel of yours, and does not let Inductor add to its store.",
        f"{_CONFIG}.epilogue_fusion_user_defined_triton_kernel = True, for a kernel with a single "
        "tl.store, into a tensor that it does not read and that comes from torch.empty or "
        "torch.empty_like.",
    ),
    "node1 is extern but node2 is not SchedulerNode": _in_2_13(
        "user kernel",
        "Only one operator on its own fuses into the Triton kernel {first}; {second} is a group "
        "of them, or not generated by Inductor.",
    ),
    "node1 is extern but node2.node is not SchedulerNode": _in_2_13(
        "user kernel",
        "Only a pointwise operator fuses into the Triton kernel {first}; {second} is no loop over "
        "elements.",
    ),
    "node1 is extern but node2.node.data is not Pointwise": _in_2_13(
        "user kernel",
        "Only a pointwise operator fuses into the Triton kernel {first}; {second} is a reduction, "
        "a scan or a sort.",
    ),
    "epilogue reads from buffers other than the mutated output": _in_2_13(
        "user kernel",
        "{second} reads more than what the Triton kernel {first} writes, and Inductor adds no "
        "loads to a kernel of yours.",
        "Load the other tensor in your kernel, and do this operator there.",
    ),
    "node1 and node2 uses different buf layouts": _in_2_13(
        "layout",
        "The result of {second} has other sizes or strides, or is on another device, than what "
        "the Triton kernel {first} writes.",
        _USER_KERNEL_OUTPUT,
    ),
    "node1 must go before node2": _both(
        "order",
        "{first} needs the result of {second}: it cannot be the first part of their kernel.",
    ),
    "fusion for buffer explicit disabled": _both(
        "benefit",
        "{first} or {second} makes the copy that an all-reduce works on, which Inductor keeps to "
        "itself so that the communication starts early.",
        f"{_CONFIG}.reorder_for_compute_comm_overlap = False allows it.",
    ),
    "device mismatch (%s vs %s)": _both(
        "device",
        "{first} runs on {0}, {second} on {1}.",
        "Make or move the tensors to one device before both.",
    ),
    # From the same: prologues, which a template computes as it loads its inputs
    "prologue fusion turned off": _both(
        "template",
        "{first} feeds the template {second}, which could compute it as it loads its inputs; that "
        "is switched off.",
        f"{_CONFIG}.prologue_fusion = True, where the template allows it.",
    ),
    "prologue fusion only supported for pointwise nodes": _both(
        "template",
        "The template {second} can compute only pointwise operators as it loads its inputs; "
        "{first} is a reduction or a template.",
    ),
    "prologue fusion only supported for TritonTemplates": _in_2_11(
        "template",
        "The template {second} is not one in Triton: it computes nothing as it loads its inputs, "
        "so {first} is apart.",
        f'For a matrix multiplication, {_CONFIG}.max_autotune_gemm_backends = "TRITON" leaves only '
        "templates in Triton.",
    ),
    "template has no allowed prologue inputs": _in_2_13(
        "template",
        "The template {second} computes nothing as it loads its inputs, so {first} is apart.",
    ),
    "prologue fusion not implemented for kernel for these inputs": _both(
        "template",
        "{first} feeds an input that the template {second} can only load as it is.",
    ),
    "template prologue can only fuse functional pointwise nodes": _both(
        "mutation",
        "{first} or the template {second} writes in place, or into memory that another tensor "
        "shares.",
        _FUNCTIONAL,
    ),
    "template prologue can only fuse nodes with a single use": _both(
        "template",
        "An intermediate result of {first} is also used elsewhere: computed only in the template "
        "{second}, it would not be in memory.",
    ),
    "template prologue can only fuse nodes with a single use into template": _both(
        "template",
        "{first} has several results, or other users than the template {second}: computed only in "
        "the template, they would not be in memory.",
    ),
    "prologue fusion will not increase amount of bytes read in kernel": _both(
        "benefit",
        "{first} reads over 10% more bytes than it writes (a cast to a smaller dtype, a sum of two "
        "tensors): with it, the template {second} would have more to load.",
        "Cast the tensor where it is made, or keep it in the smaller dtype. A dequantisation in "
        "torch._higher_order_ops.InvokeQuant is not held to this.",
    ),
    "prologue fusion will not increase attempt to fuse in padding bc it increases unaligned reads": _both(  # noqa: E501  torch's words
        "benefit",
        "{first} is a padding: with it, the loads of the template {second} would not be aligned.",
        f"Where Inductor put the padding in, {_CONFIG}.shape_padding = False leaves it out.",
    ),
    "prologue fusion that must be upcast to fp32 not profitable for low precision templates": _both(
        "benefit",
        "{first} has to be computed in float32, and the template {second} works with 16 bits or "
        "less.",
    ),
    # From the same: epilogues, which a template computes before it stores its result
    "template epilogue not satisfied": _both(
        "template",
        "{second} is a reduction, or writes in place or into shared memory, or epilogue fusion is "
        "switched off: the template {first} cannot compute it before it stores its result.",
        f"{_CONFIG}.epilogue_fusion = True, and a new tensor instead of one changed in place.",
    ),
    "multi-output template epilogue requires ComputedBuffer": _in_2_13(
        "template",
        "The template {first} has several results: only one operator on its own fuses into it, "
        "and {second} is a group of them.",
    ),
    # From Scheduler.can_fuse_vertical and will_fusion_create_cycle
    "memory deps did not match": _both(
        "layout",
        "One step of {second} needs other elements than the same step of {first} has written (a "
        "transpose, a shift, a gather, other loops, atomic adds), or overwrites what {first} still "
        "reads.",
        _SAME_ACCESS,
    ),
    "intermediate nodes between node1 & node2": _both(
        "order",
        "{second} also needs another kernel, which needs the result of {first} and so has to run "
        "between them.",
    ),
    "will create cycle": _both(
        "order",
        "Other kernels, fused before, need the result of the one and are needed by the other: as "
        "one kernel, {first} and {second} would wait for themselves.",
    ),
    # From Scheduler.speedup_by_fusion, where benchmark_fusion makes it measure
    "register spilling of the first kernel": _both(
        "benefit",
        "Measured alone, {first} spills registers or does not run, so torch cannot tell whether "
        "fusing it with {second} is faster.",
        _UNMEASURED,
    ),
    "register spilling of the second kernel": _both(
        "benefit",
        "Measured alone, {second} spills registers or does not run, so torch cannot tell whether "
        "fusing it with {first} is faster.",
        _UNMEASURED,
    ),
    "register spilling of the fused kernel": _both(
        "benefit",
        "Measured as one kernel, {first} and {second} spill registers or do not run.",
    ),
    # From ForeachKernelSchedulerNode.can_fuse in scheduler.py
    "foreach do not have same length": _both(
        "shape",
        "{first} and {second} work on lists of different lengths.",
        "Give torch._foreach_ functions lists of one length.",
    ),
    "candidate producer is a reduction, foreach ops cannot be fused with reductions currently": _both(  # noqa: E501  torch's words
        "reduction",
        "{first} is a reduction, which does not fuse with a kernel over a list of tensors "
        "({second}).",
        _PLAIN,
    ),
    "candidate consumer is a reduction, foreach ops cannot be fused with reductions currently": _both(  # noqa: E501  torch's words
        "reduction",
        "{second} is a reduction, which does not fuse with a kernel over a list of tensors "
        "({first}).",
        _PLAIN,
    ),
    "candidate producer is not dep of any foreach consumer": _both(
        "order",
        "{second} works on a list of tensors, and none of its operators reads the result of "
        "{first}.",
        _PLAIN,
    ),
    "candidate consumer has no dep in any foreach producer": _both(
        "order",
        "{first} works on a list of tensors, and {second} reads the result of none or of several "
        "of its operators, not of one.",
        _PLAIN,
    ),
    # From InductorChoices in choices.py
    "no shared data due to indexing mismatch": _both(
        "layout",
        "{first} and {second} use a tensor in common, but not its same elements in the same loops: "
        "fused, nothing would be read or written less.",
        _SAME_ACCESS,
    ),
    "no shared data": _both(
        "benefit",
        "{first} and {second} do not use the same elements of a tensor in the same loops: fused, "
        "nothing would be read or written less.",
        # Measured with 2.11 and 2.13: aggressive_fusion alone is stopped by the threshold.
        f"{_SAME_ACCESS} Pointwise operators that have no tensor in common: "
        f"{_CONFIG}.aggressive_fusion = True together with "
        f"{_CONFIG}.score_fusion_memory_threshold = 0.",
    ),
    "exceeds max fusion": _both(
        "size-limit",
        "{first} and {second} together are more operators than torch puts into one kernel.",
        f"{_CONFIG}.max_fusion_size says how many (64 unless set).",
    ),
    "Fusion will increase peak memory": _both(
        "memory",
        "{first} and {second} each read a tensor that nothing else needs, whose memory can be "
        "used again; as one kernel they need both at a time, far more than the fusion saves.",
    ),
    "fusion_prevent_too_many_reads_and_writes": _both(
        "size-limit",
        "{first} and {second} together read and write more tensors than is allowed for one kernel.",
        f"{_CONFIG}.max_fusion_unique_io_buffers says how many (no limit unless set).",
    ),
    "score_fusion_memory_threshold": _both(
        "benefit",
        "{first} and {second} are independent and have only a few bytes in common: fused, next to "
        "nothing would be read or written less.",
        f"{_CONFIG}.score_fusion_memory_threshold is the number of bytes that a fusion has to save "
        "(10 unless set).",
    ),
    "Nodes are too far away. Fusing them may increase peak memory.": _both(
        "memory",
        "{first} and {second} are independent, and over 64 operators apart: as one kernel, tensors "
        "would stay in memory for all that lies between.",
        "Compute them next to each other in the program.",
    ),
    # From SIMDScheduling.can_fuse in codegen/simd.py, which is Triton's
    "Split scan cannot fuse with reductions": _both(
        "reduction",
        "One of {first} and {second} is a scan that several blocks share (a long cumsum or "
        "cumprod), the other a reduction.",
    ),
    "numel/rnumel mismatch (reduce) (%s, %s), (%s, %s)": _both(
        "reduction",
        "{first} reduces {2} elements to each of its {0} results, {second} {3} elements to each of "
        "its {1}.",
        "Reduce over the same dimensions of tensors of the same shape.",
    ),
    "invalid loop order and tiling for native matmul": _both(
        "layout",
        "One of {first} and {second} is a matrix multiplication in generated code, and the loops "
        "of the other do not fit its tiles.",
        "Keep the dimensions in the order of the matrix multiplication.",
    ),
    "numel/rnumel mismatch (non-reduce) (%s, %s), (%s, %s)": _both(
        "shape",
        "{first} runs over {0} elements, {second} over {1}.",
    ),
    "numel/rnumel mismatch prologue mismatch (%s, %s), (%s, %s)": _both(
        "shape",
        "{first} runs over {0} elements, but what it feeds at the beginning of the template "
        "{second} runs over {1}.",
    ),
    "tiling mismatch (%s, %s, %s)": _both(
        "layout",
        "The memory orders of {first} and {second} ask for different tiles: {0} and {1}, or {2} "
        "for both.",
        f"Use one memory order for both, or {_CONFIG}.triton.tiling_prevents_pointwise_fusion = "
        "False.",
    ),
    "nodes numel/rnumel incompatibility": _both(
        "reduction",
        "{first} has as many elements as the reduction {second} goes through, but its loops cannot "
        "be split into what is reduced and what is kept.",
        "Keep the reduced dimensions apart from the others: no reshape between the two.",
    ),
    "invalid tiling for reduction": _both(
        "layout",
        "The memory order of {first} asks for tiles that the reduction {second} cannot use.",
        f"Use one memory order for both, or {_CONFIG}.triton.tiling_prevents_reduction_fusion = "
        "False.",
    ),
    "nodes numel incompatibility": _both(
        "reduction",
        "{first} runs neither over the elements that the reduction {second} goes through nor over "
        "its results: their numbers differ.",
    ),
    # From CUTLASSScheduling in codegen/cutlass/scheduling.py
    "cutlass epilogue fusion is not enabled": _both(
        "template",
        "{first} is a CUTLASS kernel, which could compute {second} before it stores its result; "
        "that is switched off.",
        f"{_CONFIG}.cutlass.cutlass_epilogue_fusion_enabled = True, and "
        f"{_CONFIG}.epilogue_fusion = True.",
    ),
    "epilogue fusion is only supported for TMA-enabled gemm ops": _both(
        "template",
        "{first} is a CUTLASS kernel that does not store through the TMA, and only those that do "
        "can compute {second} before.",
        f"{_CONFIG}.cutlass.cutlass_tma_only = True tries no others.",
    ),
}
"""By the format that torch gives."""


def _pattern(text: str) -> re.Pattern[str]:
    """Of a whole reason; a node's text in it can have several lines."""
    return re.compile(text, re.DOTALL)


# CUTLASS's reasons are f-strings. Their ``{first}`` is the template's buffer, not its operation.
PATTERNS: tuple[tuple[re.Pattern[str], Known], ...] = (
    (
        _pattern(r".* is not a ComputedBuffer"),
        _both(
            "template",
            "The CUTLASS kernel {first} can compute only pointwise operators before it stores its "
            "result; a part of {second} is no loop over elements.",
        ),
    ),
    (
        _pattern(r".* is not a Pointwise op"),
        _both(
            "template",
            "The CUTLASS kernel {first} can compute only pointwise operators before it stores its "
            "result; a part of {second} is not one.",
        ),
    ),
    (
        _pattern(r".* does not have a computed buffer name"),
        _both(
            "template",
            "The CUTLASS kernel {first} can compute only operators whose result has a name of its "
            "own; a part of {second} has none.",
        ),
    ),
    (
        _pattern(r".*'s size: (.*) differs from .*'s size: (.*)"),
        _both(
            "shape",
            "The result of the CUTLASS kernel {first} has the size {1}, that of {second} {0}.",
            "Put a slice, pad, concatenation or broadcast where both sizes are the same.",
        ),
    ),
    (
        _pattern(r".* has aliasing or mutation"),
        _both(
            "mutation",
            "{second} writes in place, or into memory that another tensor shares: the CUTLASS "
            "kernel {first} cannot do that.",
            _FUNCTIONAL,
        ),
    ),
    (
        _pattern(r".* is a reduction which is not yet supported by EVT"),
        _both(
            "reduction",
            "{second} is a reduction, which the CUTLASS kernel {first} cannot compute before it "
            "stores its result.",
        ),
    ),
    (
        _pattern(
            r"Cannot fuse epilogue node .* into .*, likely due to unsupported operation: (.*)"
        ),
        _both(
            "template",
            "The CUTLASS kernel {first} cannot compute {0}, which {second} needs, before it stores "
            "its result.",
        ),
    ),
    (
        _pattern(r"Cannot fuse epilogue node .* into .*\. Reason: (.*)"),
        _both(
            "template",
            "The CUTLASS kernel {first} cannot compute {second} before it stores its result: {0}.",
        ),
    ),
)
"""Of the reasons that torch fills in itself; what the groups take is what `explain` fills in."""
