"""What could bring a statement nearer to its ceiling."""

from __future__ import annotations

from inspector.profiles.work import Bound, Work

__all__ = ["advice", "advised_unit"]

_TUNED = frozenset({"max-autotune", "max-autotune-no-cudagraphs"})
_PRODUCTS = frozenset({"mm", "addmm", "bmm", "baddbmm"})
_TEMPLATES = frozenset({"_int_mm", "_scaled_mm", "_grouped_mm", "_scaled_grouped_mm"})
# On a CPU Inductor's templates need weights that are constants (`use_cpp_gemm_template` in
# torch/_inductor/utils.py, 2.11 to 2.13).
_FROZEN = frozenset({"mm", "addmm"})
_CONVOLUTIONS = frozenset({"convolution", "convolution_backward"})


def advice(work: Work, mode: str, *, is_cpu: bool, has_templates: bool = True) -> str:
    """What to change, in half a sentence.

    Args:
        work: A statement that does not reach its ceiling.
        mode: The mode that was compiled with, or an empty string.
        is_cpu: Whether it ran on the CPU.
        has_templates: Whether Inductor has templates for matrix products on the GPU.
    """
    if work.kind == "user_kernel":
        return "its own: other block sizes, and what `inspect kernels` says of its code"
    if work.kind == "library":
        return _of_library(work, mode, is_cpu=is_cpu, has_templates=has_templates)
    if is_cpu:
        return "`inspect kernels` says whether its loops are vectorised and run in threads"
    if mode in _TUNED:
        return "`inspect kernels` says what its code loses, --counters what it waits for"
    return 'mode="max-autotune" tries other block sizes'


def advised_unit(work: Work, *, is_cpu: bool) -> str:
    """The arithmetic that the advice moves to; empty where it stays."""
    if work.kind != "library" or is_cpu or work.dtype != "float32":
        return ""
    if "attention" in work.name:
        return "bfloat16"
    if _PRODUCTS.isdisjoint(work.operators):
        return ""
    return "tf32" if work.bound is Bound.COMPUTE and work.unit == "float32" else "bfloat16"


def _of_library(work: Work, mode: str, *, is_cpu: bool, has_templates: bool) -> str:
    if "attention" in work.name:
        if work.dtype == "float32" and not is_cpu:
            return "in bfloat16 or float16 (autocast) flash attention computes it"
        return "torch.nn.attention.sdpa_kernel chooses another kernel, flex_attention generates one"
    if not _PRODUCTS.isdisjoint(work.operators):
        if work.bound is not Bound.COMPUTE:
            return "a larger batch uses the weights that it reads more often, bfloat16 halves them"
        if work.unit == "float32" and not is_cpu:
            return 'torch.set_float32_matmul_precision("high") uses TF32, autocast to bfloat16 more'
    return _other_kernels(work, mode, is_cpu=is_cpu, has_templates=has_templates)


def _other_kernels(work: Work, mode: str, *, is_cpu: bool, has_templates: bool) -> str:
    """What Inductor has in the place of a library's kernel, or what else helps."""
    if not _CONVOLUTIONS.isdisjoint(work.operators):
        # It has templates for a GPU's forward convolutions alone
        # (torch/_inductor/kernel/conv.py, 2.11 to 2.13).
        if is_cpu or "convolution" not in work.operators:
            return (
                "of images, channels_last for the model and its inputs, where they are not: "
                "model.to(memory_format=torch.channels_last); or bfloat16"
            )
    elif is_cpu and not _FROZEN.isdisjoint(work.operators):
        return (
            'bfloat16, where the processor has it; or, for inference, mode="max-autotune" with '
            "TORCHINDUCTOR_FREEZING=1, which has C++ templates for constant weights"
        )
    elif work.operators and not _PRODUCTS.union(_TEMPLATES).intersection(work.operators):
        return "it is a library's, and no mode tries another: do it less often, or in a small dtype"
    if not is_cpu and not has_templates:
        return (
            "Inductor tries no other on so small a GPU: other sizes (multiples of 64), or a dtype"
        )
    if mode in _TUNED:
        return "all that was tried is slower: other sizes (multiples of 64), or another dtype"
    return 'mode="max-autotune" tries other kernels for it, and templates to fuse with'
