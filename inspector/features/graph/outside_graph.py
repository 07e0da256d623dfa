"""The operators that Inductor does not generate code for: nothing can ever be fused with them."""

import dataclasses
import enum

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.step_names import short_name
from inspector.features.graph.targets import is_view
from inspector.run.graph import Node

_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "addmv", "mv", "dot", "_int_mm", "_scaled_mm")
_ATTENTION = ("_scaled_dot_product", "_flash_attention", "_efficient_attention", "_cudnn_attention")
_RANDOM = ("rand", "bernoulli", "multinomial", "normal", "uniform", "exponential", "inductor_seed")
# Their results' sizes depend on values.
_BY_VALUES = ("nonzero", "masked_select", "unique", "repeat_interleave", "_local_scalar_dense")


class Why(enum.Enum):
    """Why the code is not Inductor's; the value says it of the operator."""

    LIBRARY = "computed by a library"
    ATTENTION = "computed by PyTorch's attention kernel"
    CONVOLUTION = "computed by PyTorch's convolution, with a library chosen at run time"
    OWN = "a user-defined Triton kernel"
    HIGHER_ORDER = "its graphs are compiled separately"
    CUSTOM = "a custom operator, opaque to Inductor"
    COLLECTIVE = "a collective, run by the communication library"
    COMPLEX = "Inductor does not generate code for complex numbers"
    SIZES = "the size of its result is data-dependent"
    RANDOM = "it uses PyTorch's random number generator"
    NO_CODE = "Inductor has no lowering for it on this device and calls PyTorch's kernel"


_BY_NAME = (
    (_ATTENTION, Why.ATTENTION),
    ("convolution_backward", Why.CONVOLUTION),
    (_BY_VALUES, Why.SIZES),
    (_RANDOM, Why.RANDOM),
)
_KINDS = {Why.CUSTOM: "custom", Why.COLLECTIVE: "collective", Why.HIGHER_ORDER: "higher_order"}


@dataclasses.dataclass(frozen=True, slots=True)
class Outside:
    """A call of code that Inductor did not generate.

    Attributes:
        graph: The name of its graph.
        library: ``cuBLAS``, ``cuDNN``, …; empty where torch picks one at run time.
    """

    graph: str
    step: Step
    node: Node
    why: Why
    library: str = ""


def outside(fusion: Fusion) -> tuple[Outside, ...]:
    """The calls of a graph, in the order of the code; what only takes a result is none."""
    calls = ((step, step.operators[-1]) for step in fusion.steps if step.is_call and step.operators)
    return tuple(
        Outside(fusion.name, step, node, _why(step, node), _library(node))
        for step, node in calls
        if not is_view(node)
    )


def call_kind(step: Step) -> str:
    """Its kind; of what is left to the program's own operators and the like, what that is.

    Returns:
        `Step.kind`, ``custom``, ``collective`` or ``higher_order``.
    """
    if step.kind not in {"extern", "fallback"} or not step.operators:
        return step.kind
    found = _by_space(step.operators[-1])
    return step.kind if found is None else _KINDS[found]


def _why(step: Step, node: Node) -> Why:
    if step.kind == "user_kernel":
        return Why.OWN
    name = short_name(node.target)
    starts = (why for prefixes, why in _BY_NAME if name.startswith(prefixes))
    named = _by_space(node) or next(starts, None)
    if named is not None:
        return named
    if any("complex" in tensor.dtype for tensor in node.tensors):
        return Why.COMPLEX
    return Why.LIBRARY if _library(node) else Why.NO_CODE


def _by_space(node: Node) -> Why | None:
    target = node.target.removeprefix("torch.ops.")
    space = target.partition(".")[0]
    if space == "higher_order" or target.startswith("torch._higher_order_ops."):
        return Why.HIGHER_ORDER
    if space in {"_c10d_functional", "c10d_functional", "_dtensor"}:
        return Why.COLLECTIVE
    is_torch = space in {"aten", "prims", "mkldnn", "mkl", "quantized", "onednn", "inductor"}
    return None if is_torch else Why.CUSTOM


def _library(node: Node) -> str:
    """The library that a call is bound for; torch itself decides it at run time for some."""
    name, space = short_name(node.target), node.target.partition(".")[0]
    is_gpu = any(tensor.device.startswith("cuda") for tensor in node.tensors)
    if space in {"mkldnn", "onednn"}:
        return "oneDNN"
    if space == "mkl":
        return "MKL"
    if name in _PRODUCTS:
        return "cuBLAS" if is_gpu else "BLAS (MKL or OpenBLAS)"
    if name in {"convolution", "convolution_backward", "_convolution"}:
        return "cuDNN" if is_gpu else "oneDNN"
    return ""
