"""Copies in a call: for what the program changes in place, and into other layouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.features.profile.gain import Gain, first_names
from inspector.features.profile.kernel_groups import KernelGroup, where
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.step_facts import Part
from inspector.records.device_profile import KEEPS_GRADIENT

_COPY = "copy_"


def copy_gains(work: Sequence[KernelTiming], *, is_grad_idle: bool) -> Iterator[Gain]:
    """What these copies take, within graphs and behind them."""
    yield from _of_copies(work)
    yield from _of_copies_back(work, is_grad_idle=is_grad_idle)


def copies_back(work: Iterable[KernelTiming]) -> list[KernelTiming]:
    """What torch copies behind a graph to where the program changed it.

    Copies into the memory of CUDA graphs stand in front of these, and are something else.
    """
    work = list(work)
    if any(launch.launch.is_replayed for item in work for launch in item.launches):
        return []
    # On a GPU one of the same dtype is the driver's.
    around = [item for item in work if item.kind in {"wrapper", "copy"}]
    return [
        item
        for item in around
        if item.operators == (_COPY,) and (item.kind == "wrapper" or item.launches[0].is_around)
    ]


def _of_copies(work: Sequence[KernelTiming]) -> Iterator[Gain]:
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
        f"{copy} whole tensors that the program modifies in place",
        sum(item.median_ns * sum(item.facts.functionalization_copies.values()) for item in copied),
        "modify a smaller tensor, or move these lines into a function with "
        "@torch.compiler.disable (a graph break): eager PyTorch writes only the new values",
    )


def _of_copies_back(work: Sequence[KernelTiming], *, is_grad_idle: bool) -> Iterator[Gain]:
    """New tensors that graphs give for what the program changes, and that are copied back."""
    copies = copies_back(work)
    if not copies:
        return
    given = [item for item in work if item.facts.copied_back]
    names = list(dict.fromkeys(name for item in given for name in item.facts.copied_back))
    at = f"{first_names(names)}{where(KernelGroup(tuple(given)))}: " if given else ""
    times = "once" if len(copies) == 1 else f"{len(copies)} times"
    yield Gain(
        f"{at}graphs return new tensors for inputs and buffers that the program modifies, and "
        f"torch copies them back, {times}",
        sum(item.median_ns for item in copies)
        + sum(item.median_ns * sum(item.facts.copied_back.values()) for item in given),
        "call under torch.no_grad(), where graphs write in place (--no-grad measures it)"
        if is_grad_idle
        else "return a new tensor instead, or change a smaller one",
    )


def is_relaid(work: KernelTiming) -> bool:
    """Whether a generated kernel is mostly that: a convolution's part in it computes nothing."""
    return work.kind == "kernel" and not work.flops and work.is_mostly(_is_of_convolution)


def _is_of_convolution(part: Part) -> bool:
    return part.name == "convolution"


def layout_gain(work: Sequence[KernelTiming]) -> Gain | None:
    """What weights that lie as convolutions want them would win; None where nothing is copied."""
    found = [item for item in work if is_relaid(item)]
    if not found:
        return None
    kernels = f"{len(found)} kernels" if len(found) > 1 else "a kernel"
    return Gain(
        f"in each call {kernels} convert weights or inputs of convolutions to another layout",
        sum(
            part.share * item.time_ns
            for item in found
            for part in item.longest_launch.parts
            if _is_of_convolution(part)
        ),
        "for images, model.to(memory_format=torch.channels_last), and inputs likewise, has them in "
        "it from the beginning; for inference, TORCHINDUCTOR_FREEZING=1 does it once",
    )


_COPIES = "direct_copy_kernel"  # ATen's native/cuda/Copy.cu; one that is added up is no copy
_CONVOLUTIONS = frozenset({"convolution", "convolution_backward"})


def copied_gradients(work: Sequence[KernelTiming]) -> list[KernelTiming]:
    """Gradients of convolutions' weights that autograd copies, in order.

    Inductor computes convolutions in channels_last (``decide_layout_opt`` in
    torch/_inductor/graph.py), and so come the gradients of their weights. Autograd keeps one that
    has its parameter's layout, and copies others (``accumulateGrad`` in accumulate_grad.h).
    """
    computed = (item for item in work if _CONVOLUTIONS & {*item.operators})
    convolutions = {module for item in computed for module in item.modules}
    return [
        item
        for item in work
        if item.launches[0].launch.place.operator == KEEPS_GRADIENT
        and _COPIES in item.launches[0].launch.name
        and convolutions & {*item.modules}
    ]


def gains_of_copied_gradients(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    """Copies that a layout makes needless."""
    copies = copied_gradients(work)
    if copies:
        many = len(copies) > 1
        yield Gain(
            f"autograd copies {'the gradients of' if many else 'the gradient of'} {len(copies)} "
            f"{'convolutions' if many else 'convolution'} into the layout of "
            f"{'their weights' if many else 'its weight'}",
            sum(item.time_ns for item in copies),
            "give the model the layout in which convolutions are computed: "
            "model.to(memory_format=torch.channels_last)",
        )
