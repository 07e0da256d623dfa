"""Refusals of `InductorChoices` in torch/_inductor/choices.py."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.graphs.refusals.reason import CONFIG, SAME_ACCESS, Known, every

KNOWN: Mapping[str, Known] = {
    "no shared data due to indexing mismatch": every(
        "layout",
        "{first} and {second} use a tensor in common, but not its same elements in the same loops: "
        "fused, nothing would be read or written less.",
        SAME_ACCESS,
    ),
    "no shared data": every(
        "benefit",
        "{first} and {second} do not use the same elements of a tensor in the same loops: fused, "
        "nothing would be read or written less.",
        # Measured with 2.11 and 2.13: aggressive_fusion alone is stopped by the threshold.
        f"{SAME_ACCESS} Pointwise operators that have no tensor in common: "
        f"{CONFIG}.aggressive_fusion = True together with "
        f"{CONFIG}.score_fusion_memory_threshold = 0.",
    ),
    "exceeds max fusion": every(
        "size-limit",
        "{first} and {second} together are more operators than torch puts into one kernel.",
        f"{CONFIG}.max_fusion_size says how many (64 unless set).",
    ),
    "Fusion will increase peak memory": every(
        "memory",
        "{first} and {second} each read a tensor that nothing else needs, whose memory can be "
        "used again; as one kernel they need both at a time, far more than the fusion saves.",
    ),
    "fusion_prevent_too_many_reads_and_writes": every(
        "size-limit",
        "{first} and {second} together read and write more tensors than is allowed for one kernel.",
        f"{CONFIG}.max_fusion_unique_io_buffers says how many (no limit unless set).",
    ),
    "score_fusion_memory_threshold": every(
        "benefit",
        "{first} and {second} are independent and have only a few bytes in common: fused, next to "
        "nothing would be read or written less.",
        f"{CONFIG}.score_fusion_memory_threshold is the number of bytes that a fusion has to save "
        "(10 unless set).",
    ),
    "Nodes are too far away. Fusing them may increase peak memory.": every(
        "memory",
        "{first} and {second} are independent, and over 64 operators apart: as one kernel, tensors "
        "would stay in memory for all that lies between.",
        "Compute them next to each other in the program.",
    ),
}
"""By the format that torch gives."""
