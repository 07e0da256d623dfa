"""Kernels that only copy."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.graph import VIEWS
from inspector.run.kernel_facts import KernelFacts

_COPIES = {"clone", "copy", "copy_", "_unsafe_view", "cat", "stack"}
_CONVOLUTIONS = {"convolution", "convolution_backward"}
_INSTEAD_OF_CAT = (
    "If the results of several layers are concatenated, merge the layers into one by "
    "concatenating their weights."
)


class CopyRule(Rule[KernelFacts, Advised]):
    """A kernel only copies data."""

    id = "kernel-copy"
    severity = Severity.INFO

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """What it computes are copies and views alone."""
        names = {name.removeprefix("aten.").partition(".")[0] for name in kernel.aten}
        time_ns = kernel.time_ns
        tensors = {access.argument for access in kernel.configs[0].analysis.accesses}
        # With what is read and what is written alone there is no bias, say, that is added.
        if names and names <= _CONVOLUTIONS and len(tensors) <= 2:  # noqa: PLR2004 - those two
            yield Advised(
                message="only copies data into the layout that cuDNN needs",
                why="the convolution's tensor is not in channels-last layout",
                fix="Convert the model and its inputs to memory_format=torch.channels_last once.",
                at_stake_ns=time_ns,
            )
            return
        if not names & _COPIES or not names <= _COPIES | VIEWS:
            return
        what = ", ".join(sorted(names & _COPIES))
        yield Advised(
            message="only copies data",
            why=f"it runs {what}, which could not be fused into another kernel",
            fix="Keep the tensor in the layout in which later operators use it.",
            alternatives=(_INSTEAD_OF_CAT,) if names & {"cat", "stack"} else (),
            at_stake_ns=time_ns,
        )


RULE = CopyRule()
