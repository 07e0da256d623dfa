"""Kernels that compute in double precision by accident."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import AccessKind
from inspector.run.kernel_facts import KernelFacts

_LEAST_SHARE = 0.5
_SCALAR = (
    "In your own kernel, make the argument a tl.constexpr, or convert it with .to(tl.float32)."
)
_LOADED = (AccessKind.LOAD, AccessKind.ASYNC_COPY)


class Float64Rule(Rule[KernelFacts, Advised]):
    """A kernel computes in float64 although most of its data are narrower."""

    id = "kernel-float64"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Every configuration computes in float64, and the data are narrower."""
        if not all(facts.analysis.float64_lines for facts in kernel.configs):
            return
        analysis = kernel.configs[0].analysis
        # What it stores follows from what it loads.
        moved = [access for access in analysis.accesses if access.kind in _LOADED]
        wide = sum(access.elements for access in moved if access.dtype == "f64")
        total = sum(access.elements for access in moved)
        if not total or wide > _LEAST_SHARE * total:
            return
        names = sorted({access.argument for access in moved if access.dtype == "f64"} - {""})
        scalars = [name for name, kind in kernel.build.arguments if kind == "fp64"]
        cause = " and ".join([*names, *scalars])
        if not cause and any(access.dtype == "f64" for access in analysis.accesses):
            fix = "Drop the conversion (.double(), dtype=torch.float64) if float32 is enough."
        else:
            fix = "Convert the float64 tensor (.float()) before you combine it with others."
        line = analysis.float64_lines[0]
        yield Advised(
            message="computes in float64, but much of the loaded data is narrower",
            why=f"line {line} of its source computes in float64"
            + (f" because {cause} is float64" if cause else ""),
            fix=fix,
            alternatives=(_SCALAR,) if scalars else (),
        )


RULE = Float64Rule()
