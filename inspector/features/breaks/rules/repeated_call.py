"""Libraries that are called again with the same arguments."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel import Call


class RepeatedCall(Rule[Call, Advised]):
    """A library call repeats an earlier one."""

    id = "repeated-call"
    severity = Severity.WARNING

    def check(self, call: Call) -> Iterator[Advised]:
        """A call of a library that repeats another one."""
        if not call.repeats or call.kind == "kernel":
            return
        name = call.name.removesuffix(".default")
        yield Advised(
            f"{name} repeats an earlier call",
            "its arguments are the same and unmodified; torch does not merge such calls in graphs "
            "without gradients",
            "Compute it once, before the loop or at its first use, and reuse the result.",
        )


RULE = RepeatedCall()
