"""Operators that Inductor leaves to eager PyTorch."""

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
_WHY = "nothing can be fused with it: its inputs and outputs go through memory"
_TORCHS = re.compile(r"(aten|prims|_c10d_functional|inductor|mkldnn|rngprims|higher_order)\.")
# What to do by operator, the first that fits.
_FIXES = (
    (r"^aten\.(topk|kthvalue|median|mode)",
     "If one value is enough, use amax or argmax, which fuse. Otherwise keep it out of loops."),
    (r"^aten\.(sort|argsort|msort)",
     "Use torch.topk if only some are needed. Otherwise keep it out of inner loops."),
    (r"^aten\.(nonzero|masked_select|unique|_unique|bincount)",
     "Give it a fixed size: torch.where(mask, x, 0) instead of x[mask]."),
    (r"^aten\.(_fft|fft|stft|istft|view_as_complex|complex|polar)",
     "Inductor generates no code for complex numbers: compute with the real and imaginary parts."),
    (r"^aten\.scatter_reduce",
     ("Inductor generates a kernel for it only for sums of floats: amax, amin, prod and mean "
      "have no atomics.")),
    (r"^aten\._embedding_bag",
     "If all bags have the same length, use an embedding followed by a sum, which fuses."),
    (r"^aten\.(index_put|scatter|index_add)",
     "Drop torch.use_deterministic_algorithms(True), or use index_add into float32."),
    (r"^aten\.(linalg|_linalg|cholesky|svd|qr|inverse|lu)",
     "It is a library routine: call it once per batch, outside code that runs often."),
)  # fmt: skip
_FIX = "If its neighbors are fused, rewrite it with operators that Inductor lowers."
_OWN = (
    "If possible, write it in PyTorch or Triton: torch.library.triton_op is compiled together with "
    "the code around it."
)


class AtenFallback(Rule[Call, Advised]):
    """An operator falls back to eager PyTorch."""

    id = "aten-fallback"
    severity = Severity.INFO

    def check(self, call: Call) -> Iterator[Advised]:
        """A call of ATen or of a custom operator that is no library's kernel."""
        name = call.name.removesuffix(".default")
        if call.kind != "aten":
            return
        if not _TORCHS.match(name):
            yield Advised(f"{name} is a custom operator, called as is", _WHY, _OWN)
        elif not _LIBRARIES.search(name):
            fixes = (fix for pattern, fix in _FIXES if re.match(pattern, name))
            yield Advised(f"{name} falls back to eager PyTorch", _WHY, next(fixes, _FIX))


RULE = AtenFallback()
