"""Gradients of convolutions that autograd copies, because they come in another layout.

Inductor computes convolutions in channels_last (``decide_layout_opt`` in torch/_inductor/graph.py),
and so come the gradients of their weights. Autograd keeps a gradient as it is where it has its
parameter's layout, and else copies it (``accumulateGrad`` in
torch/csrc/autograd/functions/accumulate_grad.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.profiles.work import Work
from inspector.records.device_profile import KEEPS_GRADIENT

_COPIES = "direct_copy_kernel"  # ATen's native/cuda/Copy.cu; one that is added up is no copy
_CONVOLUTIONS = frozenset({"convolution", "convolution_backward"})


def copied_gradients(work: Sequence[Work]) -> list[Work]:
    """Those of convolutions' weights, in order."""
    convolutions = set(_modules(item for item in work if _CONVOLUTIONS & {*item.operators}))
    return [
        item
        for item in work
        if item.launches[0].launch.place.operator == KEEPS_GRADIENT
        and _COPIES in item.launches[0].launch.name
        and convolutions & {*item.modules}
    ]


def _modules(work: Iterable[Work]) -> Iterable[str]:
    return (module for item in work for module in item.modules)
