"""Libraries that are called again with the same arguments."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel import Call


class RepeatedCall(Rule[Call, Advised]):
    """A library call repeats an earlier one.

    What it means:
        The output code calls a library kernel (matrix product, convolution, sort) twice in the same
        graph with the same arguments: the same buffers, unchanged since the first call.

    Why it matters:
        The second call takes as long as the first, for a result that already exists. torch merges
        equal operators in graphs with gradients (when it splits them into a forward and a backward
        pass), but not in graphs without gradients.

    Example:
        ``self.gate(x)`` in a loop in which ``x`` does not change.

    What to do:
        Compute it once before the loop, and reuse the result. Elementwise operations on the result
        are fused, and cost little inside the loop.
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
            "its arguments are the same and unchanged; without gradients torch does not merge the "
            "two calls",
            "Compute it once, before the loop or at its first use, and reuse the result.",
        )


RULE = RepeatedCall()
