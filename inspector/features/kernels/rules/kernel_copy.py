"""Kernels that only copy."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_facts import KernelFacts

_COPIES = {"clone", "copy", "copy_", "_unsafe_view", "cat", "stack"}
# Of themselves they move nothing; together with a copy they say what it is for.
_VIEWS = {
    "view", "reshape", "_reshape_alias", "permute", "transpose", "t", "expand", "squeeze",
    "unsqueeze", "slice", "select", "split", "split_with_sizes", "chunk", "unbind", "alias",
    "detach", "as_strided", "unfold",
}  # fmt: skip
_CONVOLUTIONS = {"convolution", "convolution_backward"}
_INSTEAD_OF_CAT = (
    "Of layers whose results are concatenated, make one with the weights concatenated."
)


class CopyRule(Rule[KernelFacts, Advised]):
    """A kernel only copies.

    What it means:
        A kernel of its own moves a tensor to another place or into another order, and computes
        nothing.

    Why it matters:
        It reads and writes all of the tensor again. Inductor puts copies into the kernels
        around them where it can; before and after a library's call, and for what the model gives,
        it cannot.

    Example:
        ``x.transpose(1, 2).contiguous()`` in front of a matrix product; ``torch.cat`` of what two
        linear layers give; a convolution without ``channels_last``, whose inputs are put into that
        order for cuDNN, each time.

    What to do:
        Keep the tensor in the order in which it is used; let linear layers that are concatenated be
        one; for convolutions, put model and inputs into ``memory_format=torch.channels_last`` once.
    """

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
                message="only copies, into the order that cuDNN takes",
                why="the convolution's tensor is not in channels-last order",
                fix="Put the model and its inputs into memory_format=torch.channels_last, once.",
                at_stake_ns=time_ns,
            )
            return
        if not names & _COPIES or not names <= _COPIES | _VIEWS:
            return
        what = ", ".join(sorted(names & _COPIES))
        yield Advised(
            message="only copies",
            why=f"it is {what}, and no kernel around it could absorb it",
            fix="Keep the tensor in the order in which what follows uses it.",
            alternatives=(_INSTEAD_OF_CAT,) if names & {"cat", "stack"} else (),
            at_stake_ns=time_ns,
        )


RULE = CopyRule()
