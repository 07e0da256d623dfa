"""Copies in a call: for what the program changes in place, and into other layouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.features.profile.gain import Gain, first_names
from inspector.features.profile.kernel_groups import KernelGroup, where
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.step_facts import Part


def gains_of_copies(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    """What copies of whole tensors take, for what the program changes in place."""
    copied = [item for item in work if item.facts.functionalization_copies]
    if not copied:
        return
    names = list(
        dict.fromkeys(name for item in copied for name in item.facts.functionalization_copies)
    )
    copy = "1 kernel copies"
    if len(copied) > 1:
        copy = f"{len(copied)} kernels copy"
    yield Gain(
        f"{first_names(names)}{where(KernelGroup(tuple(copied)))}: "
        f"what the program changes in place, {copy} as a whole",
        sum(item.median_ns * sum(item.facts.functionalization_copies.values()) for item in copied),
        "eager PyTorch writes the new values alone: put these lines into a function with "
        "@torch.compiler.disable (a graph break), or change a smaller tensor",
    )


def is_relaid(work: KernelTiming) -> bool:
    """Whether a generated kernel is mostly that: a convolution's part in it computes nothing."""
    return work.kind == "kernel" and not work.flops and work.is_mostly(_is_of_convolution)


def _is_of_convolution(part: Part) -> bool:
    return part.name == "convolution"


def gains_of_layouts(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    """What weights that lie as convolutions want them would win."""
    found = [item for item in work if is_relaid(item)]
    if not found:
        return
    kernels = f"{len(found)} kernels" if len(found) > 1 else "a kernel"
    yield Gain(
        f"in each call {kernels} put weights or inputs of convolutions into another layout",
        sum(
            part.share * item.time_ns
            for item in found
            for part in item.longest_launch.parts
            if _is_of_convolution(part)
        ),
        "for images, model.to(memory_format=torch.channels_last), and inputs likewise, has them in "
        "it from the beginning; for inference, TORCHINDUCTOR_FREEZING=1 does it once",
    )
