"""Pairs of operators that Inductor keeps apart, and the same computation where it does not.

Each case is compiled twice, with code for a GPU that need not be here: `before` has the pair,
`after` is the same rewritten, or compiled with another configuration.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch
import triton
from torch import Tensor
from torch.nn import functional
from triton import language as tl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NO_SHARED_DATA = "no shared data"


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One pair.

    Attributes:
        name: What it is about.
        kind: Of our reason.
        before: Two kernels that share data.
        inputs: Makes the arguments of both functions.
        change: What `after` does that `before` does not.
        said: Torch's format, as in inspector/features/graph/reasons.py; empty where our reason is
            that the one is a call.
        after: As `before` if None.
        inputs_after: As `inputs` if None.
        config: Of Inductor, for `before`.
        config_after: Of Inductor, for `after`.
        all_fuse: Whether `after` has one kernel for all pairs of `before`, not for the one alone.
        note: Why the bytes differ, where they do.
    """

    name: str
    kind: str
    before: Callable[..., Any]
    inputs: Callable[[], tuple[Tensor, ...]]
    change: str
    said: str = NO_SHARED_DATA
    after: Callable[..., Any] | None = None
    inputs_after: Callable[[], tuple[Tensor, ...]] | None = None
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    config_after: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    all_fuse: bool = False
    note: str = ""


@torch.library.custom_op("not_fused::twice", mutates_args=())
def twice(x: Tensor) -> Tensor:
    """An operator that Inductor does not know."""
    return x * 2


@twice.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


def tensors(*shapes: tuple[int, ...]) -> Callable[[], tuple[Tensor, ...]]:
    """Makes tensors of these shapes."""
    return lambda: tuple(torch.randn(shape) for shape in shapes)


def images(*shapes: tuple[int, ...]) -> Callable[[], tuple[Tensor, ...]]:
    """Makes images and filters with the channels inside."""
    order = torch.channels_last
    return lambda: tuple(torch.randn(shape).to(memory_format=order) for shape in shapes)


def column_sums(x: Tensor) -> Tensor:
    """Split into two parts."""
    return x.sum(0)


def rows_and_columns(x: Tensor) -> tuple[Tensor, ...]:
    """Two sums over other dimensions."""
    return (x * x).sum(-1), x.sum(0)


def pointwise_and_columns(x: Tensor) -> tuple[Tensor, Tensor]:
    """A result that is reduced over its rows as well: Inductor does that in two parts."""
    y = x.relu()
    return y, y.mean(0)


def columns_and_pointwise(x: Tensor) -> tuple[Tensor, ...]:
    """A sum in two parts, and something that goes over all."""
    return x.sum(0), x.exp()


def two_widths(x: Tensor) -> tuple[Tensor, ...]:
    """Two sums over other numbers of elements."""
    return x.sum(-1), x.view(512, 2, 512).sum(-1)


def two_widths_after(x: Tensor) -> tuple[Tensor, ...]:
    """The wider sum from the narrower one's results."""
    narrow = x.view(512, 2, 512).sum(-1)
    return narrow.sum(-1), narrow


def slice_before(x: Tensor) -> tuple[Tensor, ...]:
    """Most of the rows, and all of them."""
    return x[:480].exp(), x.softmax(-1)


def slice_after(x: Tensor) -> tuple[Tensor, ...]:
    """All rows, then most of them."""
    return x.exp()[:480], x.softmax(-1)


def shifted_before(x: Tensor) -> tuple[Tensor, ...]:
    """The first rows, and the last ones."""
    return x[:500].exp(), x[12:].sin()


def shifted_after(x: Tensor) -> tuple[Tensor, ...]:
    """All rows, then the first and the last ones."""
    return x.exp()[:500], x.sin()[12:]


def turned_before(x: Tensor) -> tuple[Tensor, ...]:
    """One goes over the rows, the other writes columns."""
    return x.softmax(-1), x.t().contiguous() * 2


def turned_after(x: Tensor) -> tuple[Tensor, ...]:
    """Turned after, and not copied."""
    return x.softmax(-1), (x * 2).t()


def changed_before(x: Tensor, y: Tensor) -> Tensor:
    """A part of an input is changed in place."""
    x[:, 1:].add_(y)
    return x.sin()


def changed_after(x: Tensor, y: Tensor) -> Tensor:
    """All of it is computed, with nothing to add to the rest, and copied as a whole."""
    changed = x + functional.pad(y, (1, 0))
    x.copy_(changed)
    return changed.sin()


def long_chain(x: Tensor) -> Tensor:
    """Two kernels where one takes no more than three operators."""
    for number in range(4):
        x = (x * number).sin() + x
    return x.softmax(-1)


def many_inputs(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, ...]:
    """Two softmaxes with an input in common."""
    return (a + b).softmax(-1), (a + c + d).softmax(-1)


def few_bytes(x: Tensor, y: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
    """Two that have one number in common."""
    return x.softmax(-1) * scale, y.softmax(-1) * scale


def matmul_relu(x: Tensor, w: Tensor) -> Tensor:
    """Something behind a multiplication."""
    return (x @ w).relu()


def sin_matmul(x: Tensor, w: Tensor) -> Tensor:
    """Something before a multiplication."""
    return x.sin() @ w


def custom_before(x: Tensor) -> Tensor:
    """A custom operator."""
    return twice(x.sin())


def custom_after(x: Tensor) -> Tensor:
    """The same, of torch's operators."""
    return x.sin() * 2


def between_before(x: Tensor) -> Tensor:
    """A custom operator between two others."""
    y = x.sin()
    return y + twice(y)


def between_after(x: Tensor) -> Tensor:
    """The same, of torch's operators."""
    y = x.sin()
    return y + y * 2


def distance_before(x: Tensor, y: Tensor) -> Tensor:
    """An operator without code of Inductor's."""
    return torch.cdist(x.sin(), y, p=1.0)


def distance_after(x: Tensor, y: Tensor) -> Tensor:
    """The same, of operators that it has code for."""
    return (x.sin()[:, None] - y).abs().sum(-1)


def foreach_before(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """A kernel over a list of tensors."""
    return (*torch._foreach_mul([x, y], 2.0), x.softmax(-1))  # noqa: SLF001 - its only name


def foreach_after(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """A kernel for each tensor."""
    return x * 2, y * 2, x.softmax(-1)


def foreach_reduced_before(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """A reduction of one of a list of tensors."""
    doubled = torch._foreach_mul([x, y], 2.0)  # noqa: SLF001 - its only name
    return (doubled[1], doubled[0].softmax(-1))


def foreach_reduced_after(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """A kernel for each tensor."""
    return y * 2, (x * 2).softmax(-1)


def convolution(x: Tensor, w: Tensor) -> Tensor:
    """A library's, which wants the channels inside."""
    return functional.conv2d(x, w)


@triton.jit
def doubled(x, result, count, BLOCK: tl.constexpr) -> None:  # noqa: N803, ANN001
    """One program doubles a block."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(result + places, tl.load(x + places, places < count) * 2, places < count)


def own_kernel(x: Tensor) -> Tensor:
    """Something behind a Triton kernel of the program."""
    result = torch.empty_like(x)
    doubled[triton.cdiv(x.numel(), 1024),](x, result, x.numel(), 1024)
    return result.relu()


def channel_means(x: Tensor) -> Tensor:
    """A mean over channels, and pointwise with it."""
    return x - x.mean(1, keepdim=True)


def images_in_order() -> tuple[Tensor, ...]:
    """With the channels inside."""
    return (torch.randn(4, 64, 32, 32).to(memory_format=torch.channels_last),)


SQUARE = tensors((512, 512), (512, 512))
OWN_EPILOGUE = "epilogue_fusion_user_defined_triton_kernel"  # from torch 2.13 on
IMAGES = (4, 16, 32, 32), (16, 16, 3, 3)
TEMPLATES = {
    "max_autotune_gemm": True,
    "max_autotune_gemm_backends": "TRITON",
    "benchmark_epilogue_fusion": False,
}

CASES: tuple[Case, ...] = (
    Case(
        "the two parts of a sum", "reduction", column_sums, tensors((4096, 1024)),
        "split_reductions=False", config_after={"split_reductions": False},
    ),
    Case(
        "a sum in two parts, and pointwise", "reduction", columns_and_pointwise,
        tensors((4096, 1024)), "split_reductions=False",
        config_after={"split_reductions": False}, all_fuse=True,
    ),
    Case(
        "pointwise, and a sum of it in two parts", "reduction", pointwise_and_columns,
        tensors((512, 256)), "split_reductions=False", config_after={"split_reductions": False},
    ),
    Case(
        "a mean over channels, and pointwise", "reduction", channel_means,
        tensors((4, 64, 32, 32)), "channels_last", inputs_after=images_in_order,
    ),
    Case(
        "sums over rows and columns", "reduction", rows_and_columns, tensors((512, 1024)),
        "triton.mix_order_reduction_non_strict_mode",
        config_after={"triton.mix_order_reduction_non_strict_mode": True},
    ),
    Case(
        "sums over other numbers of elements", "reduction", two_widths, tensors((512, 1024)),
        "one from the other's result", "numel/rnumel mismatch (reduce) (%s, %s), (%s, %s)",
        after=two_widths_after,
    ),
    Case(
        "a slice, and all", "layout", slice_before, tensors((512, 1024)), "sliced after",
        after=slice_after, note="the rest of the rows is written, too",
    ),
    Case(
        "two slices that overlap", "layout", shifted_before, tensors((512, 1024)), "sliced after",
        after=shifted_after, note="the rest of the rows is written, too",
    ),
    Case(
        "other orders", "layout", turned_before, tensors((512, 1024)), "no .contiguous() between",
        after=turned_after, config={"loop_ordering_after_fusion": False},
        config_after={"loop_ordering_after_fusion": False},
    ),
    Case(
        "a part changed in place", "mutation", changed_before, tensors((512, 1024), (512, 1023)),
        "a new tensor, copied as a whole", after=changed_after,
    ),
    Case(
        "over max_fusion_size", "size-limit", long_chain, tensors((512, 1024)), "max_fusion_size",
        "exceeds max fusion", config={"max_fusion_size": 3, "realize_opcount_threshold": 5},
        config_after={"realize_opcount_threshold": 5},
    ),
    Case(
        "over max_fusion_unique_io_buffers", "size-limit", many_inputs,
        tensors(*[(512, 1024)] * 4), "max_fusion_unique_io_buffers",
        "fusion_prevent_too_many_reads_and_writes", config={"max_fusion_unique_io_buffers": 5},
    ),
    Case(
        "four bytes in common", "benefit", few_bytes, tensors((512, 512), (512, 512), (1,)),
        "score_fusion_memory_threshold=0", "score_fusion_memory_threshold",
        config_after={"score_fusion_memory_threshold": 0},
    ),
    Case(
        "behind a library's multiplication", "library", matmul_relu, SQUARE,
        "a template in Triton", "", config_after=TEMPLATES,
    ),
    Case(
        "before a library's multiplication", "library", sin_matmul, SQUARE,
        "a template in Triton", "", config_after={**TEMPLATES, "prologue_fusion": True},
    ),
    Case(
        "before a template", "template", sin_matmul, SQUARE, "prologue_fusion",
        "prologue fusion turned off", config={**TEMPLATES, "prologue_fusion": False},
        config_after={**TEMPLATES, "prologue_fusion": True},
    ),
    Case(
        "behind a template", "template", matmul_relu, SQUARE, "epilogue_fusion",
        "template epilogue not satisfied", config={**TEMPLATES, "epilogue_fusion": False},
        config_after=TEMPLATES,
    ),
    Case(
        "a custom operator", "library", custom_before, tensors((512, 512)), "torch's operators",
        "", after=custom_after,
    ),
    Case(
        "a custom operator between", "order", between_before, tensors((512, 512)),
        "torch's operators", "intermediate nodes between node1 & node2", after=between_after,
        all_fuse=True,
    ),
    Case(
        "an operator left to eager", "library", distance_before, tensors((128, 64), (128, 64)),
        "operators with code of Inductor's", "", after=distance_after,
    ),
    Case(
        "a list of tensors", "order", foreach_before, tensors((512, 1024), (512, 1024)),
        "single tensors", "candidate producer is not dep of any foreach consumer",
        after=foreach_after,
    ),
    Case(
        "a list of tensors, reduced", "reduction", foreach_reduced_before,
        tensors((512, 1024), (512, 1024)), "single tensors",
        "candidate consumer is a reduction, foreach ops cannot be fused with reductions currently",
        after=foreach_reduced_after,
    ),
    Case(
        "a copy for a convolution", "library", convolution, tensors(*IMAGES), "channels_last", "",
        inputs_after=images(*IMAGES), all_fuse=True,
    ),
    Case(
        "behind a Triton kernel of the program", "user kernel", own_kernel, tensors((512, 512)),
        OWN_EPILOGUE, "", config_after={OWN_EPILOGUE: True},
    ),
)  # fmt: skip
