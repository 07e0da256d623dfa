"""Matrix products that do not use tensor cores."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_facts import KernelFacts


class TensorCoresRule(Rule[KernelFacts, Advised]):
    """A matrix product does not use tensor cores."""

    id = "kernel-no-tensor-cores"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Every configuration has such a product."""
        if not all(facts.analysis.fma_dots for facts in kernel.configs):
            return
        line, dtype = kernel.configs[0].analysis.fma_dots[0]
        yield Advised(
            message=f"multiplies {_NAMES.get(dtype, dtype)} matrices without tensor cores",
            why=f"{_REASONS.get(dtype, _SHAPE)}; line {line} of the kernel's source",
            fix=_FIXES.get(dtype, "Make every dimension of the product at least 16."),
        )


_SHAPE = (
    "its blocks are too small for the tensor cores, or the tensor cores do not support the dtype"
)
_NAMES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}
_REASONS = {
    "f32": "TF32 is not allowed",
    "f64": "Triton has no float64 tensor-core product for this GPU",
}
_FIXES = {
    "f32": 'Allow TF32: torch.set_float32_matmul_precision("high"), or in a kernel of your own '
    'tl.dot(…, input_precision="tf32").',
    "f64": "Use float32 with TF32, or bfloat16, if you do not need the precision.",
}


RULE = TensorCoresRule()
