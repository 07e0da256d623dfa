"""Operators that Inductor leaves to eager PyTorch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel import Call

# Libraries' kernels that are meant to be called: there is no better one to generate.
_LIBRARIES = re.compile(
    r"attention|convolution|cudnn|mkldnn|miopen|mm\b|_mm_|matmul|_c10d|wait_tensor|inductor"
    # Of Inductor itself, which draws its seeds with it (`inductor_seeds`); others it generates.
    r"|aten\.randint\.low_out"
)
_WHY = "nothing can be fused with it: what goes in and comes out is written to memory"
_TORCHS = re.compile(r"(aten|prims|_c10d_functional|inductor|mkldnn|rngprims|higher_order)\.")
# What to do by operator, the first that fits.
_FIXES = (
    (r"^aten\.(topk|kthvalue|median|mode)",
     "If one value is enough, take amax or argmax, which fuse; else keep it out of inner loops."),
    (r"^aten\.(sort|argsort|msort)",
     "Take torch.topk if only some are needed; else keep it out of inner loops."),
    (r"^aten\.(nonzero|masked_select|unique|_unique|bincount)",
     "Give it a fixed size: torch.where(mask, x, 0) instead of x[mask]."),
    (r"^aten\.(_fft|fft|stft|istft|view_as_complex|complex|polar)",
     "Inductor generates no complex arithmetic: compute with the real and imaginary parts."),
    (r"^aten\.scatter_reduce",
     "Inductor generates only its sums of floats: amax, amin, prod and mean have no atomics."),
    (r"^aten\._embedding_bag",
     "Where all bags have one length, embedding followed by a sum is generated, and fuses."),
    (r"^aten\.(index_put|scatter|index_add)",
     "Drop torch.use_deterministic_algorithms(True), or add with index_add into float32."),
    (r"^aten\.(linalg|_linalg|cholesky|svd|qr|inverse|lu)",
     "It is a library's own: do it once for a batch, outside of what is called often."),
)  # fmt: skip
_FIX = "Write it with operators that Inductor lowers, if it is between others that are fused."
_OWN = (
    "If it can be written in PyTorch or Triton, do so: torch.library.triton_op is compiled with "
    "what is around it."
)


class AtenFallback(Rule[Call, Advised]):
    """An operator is left to eager PyTorch.

    What it means:
        Inductor has no lowering for the operator, or not for these dtypes, and calls ATen (or the
        custom operator) as it is. Calls of cuBLAS, cuDNN and attention are not meant.

    Why it matters:
        Nothing is fused with it, its inputs and outputs go through memory, and what it launches is
        not in any figure about generated kernels.

    Example:
        ``torch.sort``, a complex tensor, ``x[mask]``, an operator of ``torch.library.custom_op``.

    What to do:
        Write it with operators that are lowered, or as a Triton kernel of your own
        (``torch.library.triton_op``), if it is between others that could be fused.
    """

    id = "aten-fallback"
    severity = Severity.INFO

    def check(self, call: Call) -> Iterator[Advised]:
        """A call of ATen or of a custom operator that is no library's kernel."""
        name = call.name.removesuffix(".default")
        if call.kind != "aten":
            return
        if not _TORCHS.match(name):
            yield Advised(f"{name} is called as is", _WHY, _OWN)
        elif not _LIBRARIES.search(name):
            fixes = (fix for pattern, fix in _FIXES if re.match(pattern, name))
            yield Advised(f"{name} is left to eager PyTorch", _WHY, next(fixes, _FIX))


RULE = AtenFallback()
