"""Kernels that put what convolutions read into another layout, in each call."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.profiles.gain import Gain
from inspector.profiles.step_facts import Part
from inspector.profiles.work import Work


def is_relaid(work: Work) -> bool:
    """Whether a generated kernel is mostly that: a convolution's part in it computes nothing."""
    return work.kind == "kernel" and not work.flops and work.is_mostly(_is_of_convolution)


def _is_of_convolution(part: Part) -> bool:
    return part.name == "convolution"


def layout_gain(work: Sequence[Work], *, is_hidden: bool) -> Gain | None:
    """What weights that lie as convolutions want them would win; None where nothing is copied.

    Args:
        work: The statements.
        is_hidden: Whether the host takes longer than what runs on the GPU.
    """
    found = [item for item in work if is_relaid(item)]
    if not found:
        return None
    kernels = f"{len(found)} kernels" if len(found) > 1 else "a kernel"
    return Gain(
        f"in each call {kernels} put weights or inputs of convolutions into another layout",
        sum(_share(item) * item.time_ns for item in found),
        "for images, model.to(memory_format=torch.channels_last), and inputs likewise, has them in "
        "it from the beginning; for inference, TORCHINDUCTOR_FREEZING=1 does it once",
        is_hidden,
    )


def _share(work: Work) -> float:
    return sum(part.share for part in work.main.parts if _is_of_convolution(part))
