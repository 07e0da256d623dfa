"""What could bring a statement nearer to its ceiling."""

import dataclasses

from inspector.features.profile.functions import is_drawn, is_drawn_at_once
from inspector.features.profile.kernel_timing import Bound, KernelTiming

_TUNED = frozenset({"max-autotune", "max-autotune-no-cudagraphs"})
_PRODUCTS = frozenset({"mm", "addmm", "bmm", "baddbmm"})
_TEMPLATES = frozenset({"_int_mm", "_scaled_mm", "_grouped_mm", "_scaled_grouped_mm"})
# On a CPU Inductor's templates need weights that are constants (`use_cpp_gemm_template` in
# torch/_inductor/utils.py, 2.11 to 2.13).
_FROZEN = frozenset({"mm", "addmm"})
_CONVOLUTIONS = frozenset({"convolution", "convolution_backward"})
# What freezing makes of products and convolutions on a CPU, with weights that are packed.
_PACKED = frozenset({
    "_mkl_linear", "_linear_pointwise", "_convolution_pointwise", "_convolution_pointwise_",
    "_convolution_transpose_pointwise",
})  # fmt: skip
_SMALLER = {"float32": "bfloat16", "float64": "float32", "complex128": "complex64"}
_IMAGE_DIMENSIONS = 4
_LAYOUT = (
    "of images, channels_last for the model and its inputs, where they are not: "
    "model.to(memory_format=torch.channels_last)"
)
_HALVES = frozenset({"bfloat16", "float16"})
_DENSE_GRADIENTS = frozenset({
    "embedding_dense_backward", "_embedding_bag_backward", "_embedding_bag_dense_backward",
})  # fmt: skip
_SPARSE = (
    "compute gradients only for the rows that are used: sparse=True for nn.Embedding and "
    "nn.EmbeddingBag, with SGD, Adagrad or SparseAdam"
)
_DRAWN_AT_ONCE = (
    "its random numbers are drawn one at a time: torch._inductor.config.fallback_random = True "
    "has PyTorch draw them"
)
_NEAR = 0.5  # of a ceiling: less is not for want of it
# No template of Inductor's has these (`use_triton_template` and `use_cpp_gemm_template` in
# torch/_inductor/utils.py, 2.11 to 2.13).
_WITHOUT_TEMPLATES = frozenset({"float64", "complex64", "complex128"})


@dataclasses.dataclass(frozen=True, slots=True)
class Setup:
    """How calls were compiled and run.

    Attributes:
        mode: That was compiled with, or an empty string.
        has_templates: Whether Inductor has templates for matrix products on the GPU.
        is_training: Whether there is a backward pass: the weights are no constants.
    """

    mode: str = ""
    is_cpu: bool = False
    has_templates: bool = True
    is_training: bool = False


def advice(work: KernelTiming, setup: Setup) -> str:
    """What to change, in half a sentence; empty where nothing is left to be changed."""
    if work.is_mostly(lambda part: part.name in _DENSE_GRADIENTS):
        return _SPARSE
    if work.kind == "user_kernel":
        return "try other block sizes, and see `inspect kernels` for its code"
    if work.kind == "library":
        return _of_library(work, setup)
    return _of_generated(work, setup) if work.kind == "kernel" else ""


def _of_generated(work: KernelTiming, setup: Setup) -> str:
    if setup.is_cpu:
        return _of_loops(work)
    if setup.mode in _TUNED:
        return "see its code with `inspect kernels`, and its stalls with --counters"
    return 'try mode="max-autotune" (other block sizes)'


def _of_loops(work: KernelTiming) -> str:
    if work.is_mostly(lambda part: is_drawn(part.name)):
        return _DRAWN_AT_ONCE if work.is_mostly(lambda part: is_drawn_at_once(part.name)) else ""
    first = work.launches[0]
    kernels = first.code.kernels if first.code is not None else ()
    facts = next((kernel.cpp for kernel in kernels if kernel.name == work.name), None)
    is_alone = facts is not None and facts.recorded is not None and facts.recorded.threads == 1
    if facts is None or facts.vector_loops < facts.loops or not (facts.is_parallel or is_alone):
        return (
            "see `inspect kernels` for which of its loops are not vectorized or not parallel, and "
            "why"
        )
    smaller = _smaller(work)
    if (work.share_of_ceiling or 0.0) < _NEAR or not smaller or work.bound is Bound.COMPUTE:
        return ""  # what they compute takes the time
    how = "vectorized" if is_alone else "vectorized and parallel"
    return f"use {smaller}, which moves fewer bytes (its loops are {how})"


def is_about_one(work: KernelTiming, setup: Setup) -> bool:
    """Whether what is advised is to look at this one, and no setting that is for others, too."""
    if work.kind == "library":
        is_product = not _PRODUCTS.isdisjoint(work.operators)
        return not (is_product or "attention" in work.name or _may_be_tuned(work, setup))
    return work.kind == "user_kernel" or setup.is_cpu or setup.mode in _TUNED


def advised_unit(work: KernelTiming, *, is_cpu: bool) -> str:
    """The arithmetic that the advice moves to; empty where it stays."""
    if work.kind != "library" or work.dtype != "float32":
        return ""
    if is_cpu:
        by_dtype = _FROZEN | _CONVOLUTIONS
        by_dtype |= _PRODUCTS if _waits_for_memory(work) else frozenset()
        is_other = by_dtype.isdisjoint(work.operators) and not _is_packed(work)
        return "" if is_other else _smaller(work)
    if "attention" in work.name:
        return "bfloat16"
    if _PRODUCTS.isdisjoint(work.operators):
        return ""
    if _waits_for_memory(work):
        return "bfloat16"
    return "tf32" if work.unit == "float32" else ""


def _of_library(work: KernelTiming, setup: Setup) -> str:
    if _is_packed(work):
        larger = (
            "use a larger batch or other sizes (multiples of 64); its weights are already packed"
        )
        smaller = _smaller(work)
        return f"{smaller}; or {larger}" if smaller else larger
    if "attention" in work.name:
        return _of_attention(work, is_cpu=setup.is_cpu)
    if not _PRODUCTS.isdisjoint(work.operators) and _waits_for_memory(work):
        return _fewer_bytes(work)
    return _of_other(work, setup)


def _of_other(work: KernelTiming, setup: Setup) -> str:
    """Of what Inductor may have something for in the place of a library's kernel, or not."""
    # It has templates for a GPU's forward convolutions alone
    # (torch/_inductor/kernel/conv.py, 2.11 to 2.13).
    if not _CONVOLUTIONS.isdisjoint(work.operators) and (
        setup.is_cpu or "convolution" not in work.operators
    ):
        layout = _LAYOUT if _may_change_layout(work) else ""
        return "; or ".join(filter(None, (layout, _smaller(work))))
    if not _may_be_tuned(work, setup):
        said = "run it less often (no torch.compile mode tries other kernels for it)"
        is_wide = work.dtype in _WITHOUT_TEMPLATES and work.dtype in _SMALLER
        return f"{said}, or in {_SMALLER[work.dtype]}" if is_wide else said
    return _tuned_on_cpu(work, setup) if setup.is_cpu else _tuned_on_gpu(work, setup)


def _is_packed(work: KernelTiming) -> bool:
    """Whether it is a library's call with packed weights: freezing was asked for."""
    return work.kind == "library" and not _PACKED.isdisjoint(work.name.split("."))


def _of_attention(work: KernelTiming, *, is_cpu: bool) -> str:
    if is_cpu:
        return _smaller(work)
    if work.dtype == "float32":
        return "use bfloat16 or float16 (autocast), which flash attention supports"
    return "try another kernel with torch.nn.attention.sdpa_kernel, or flex_attention"


def _waits_for_memory(work: KernelTiming) -> bool:
    """Whether fewer bytes make it shorter: it is near the bandwidth, or nobody knows how near."""
    if work.bound not in {Bound.MEMORY, Bound.CACHE}:
        return False
    return work.share_of_ceiling is None or work.share_of_ceiling >= _NEAR


def _fewer_bytes(work: KernelTiming) -> str:
    batch = "use a larger batch (more reuse of the weights)"
    if work.dtype in _HALVES:
        return f"{batch}, or quantize the weights to 8 bits (half the size)"
    smaller = _smaller(work)
    return f"{batch}, or {smaller} weights (half the size)" if smaller else batch


def _smaller(work: KernelTiming) -> str:
    """The dtype of half the size; empty where the machine was measured to be no faster with it.

    A processor without instructions for bfloat16 multiplies it fifty times as slowly as float32.
    """
    smaller = _SMALLER.get(work.dtype, "")
    least_ns = work.least_by_unit_ns.get(smaller)
    is_slower = least_ns is not None and work.least_ns is not None and least_ns >= work.least_ns
    return "" if is_slower else smaller


def _may_change_layout(work: KernelTiming) -> bool:
    """Whether it may be of images that are not in channels_last yet; what is unknown may be."""
    steps = [launch.step for launch in work.launches if launch.step is not None]
    nodes = [node for step in steps for node in step.operators if "convolution" in node.target]
    result = next((tensor for node in nodes for tensor in node.tensors), None)
    if result is None:
        return True
    is_image = len(result.shape) == _IMAGE_DIMENSIONS
    return is_image and (len(result.stride) != _IMAGE_DIMENSIONS or result.stride[1] != 1)


def _may_be_tuned(work: KernelTiming, setup: Setup) -> bool:
    """Whether Inductor has something that it could try in the place of a library's kernel."""
    if work.dtype in _WITHOUT_TEMPLATES:
        return False
    known = _PRODUCTS | _CONVOLUTIONS | (frozenset() if setup.is_cpu else _TEMPLATES)
    return not work.operators or not known.isdisjoint(work.operators)


def _tuned_on_cpu(work: KernelTiming, setup: Setup) -> str:
    if _FROZEN.isdisjoint(work.operators):
        return _tuned(setup.mode)
    is_float = work.dtype == "float32" and _smaller(work)
    smaller = "use bfloat16, if the processor supports it" if is_float else ""
    if setup.is_training:
        return smaller or "use a larger batch, or other sizes (multiples of 64)"
    frozen = (
        "for inference, set TORCHINDUCTOR_FREEZING=1 to pack constant weights (with "
        'mode="max-autotune" it tries C++ templates for them)'
    )
    return f"{smaller}; or, {frozen}" if smaller else frozen


def _tuned_on_gpu(work: KernelTiming, setup: Setup) -> str:
    if work.unit == "float32" and not _PRODUCTS.isdisjoint(work.operators):
        return 'use TF32 (torch.set_float32_matmul_precision("high")), or autocast to bfloat16'
    if not setup.has_templates:
        return (
            "use other sizes (multiples of 64) or another dtype: Inductor does not try other "
            "kernels on a GPU this small"
        )
    return _tuned(setup.mode)


def _tuned(mode: str) -> str:
    if mode in _TUNED:
        return "use other sizes (multiples of 64) or another dtype: all tried kernels are slower"
    return 'try mode="max-autotune" (other kernels, and templates that fuse)'
