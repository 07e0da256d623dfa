"""Libraries that are called again with the same arguments."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel import Call


class RepeatedCall(Rule[Call, Advised]):
    """A library computes the same again.

    What it means:
        In the output code a library (a matrix product, a convolution, a sort) is called with
        arguments with which it was called before in the same graph: the same buffers, in which
        nothing has changed since.

    Why it matters:
        It takes the time of the first call again, for a result that exists. Torch merges equal
        operators where a graph has gradients (when it is divided into a forward and
        a backward pass), and not in graphs without them.

    Example:
        ``self.gate(x)`` in a loop over steps in which ``x`` stays the same.

    What to do:
        Compute it once, in front of the loop, and use the result. What happens to it element by
        element after it is fused, and costs little where it is.
    """

    id = "repeated-call"
    severity = Severity.WARNING

    def check(self, call: Call) -> Iterator[Advised]:
        """A call of a library that repeats another one."""
        if not call.repeats or call.kind == "kernel":
            return
        name = call.name.removesuffix(".default")
        yield Advised(
            f"{name} repeats an earlier call",
            "its arguments are the same, and nothing in them has changed since; without gradients "
            "torch does not merge the two calls",
            "Compute it once, in front of the loop or where it is needed first, and use the "
            "result.",
        )


RULE = RepeatedCall()
