"""Dimensions that were marked as dynamic, and that the code makes constant."""

import dataclasses
import re
from collections.abc import Iterator

from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.user_code.call_site import user_spelling
from inspector.run.compilation import Compilation, Frame
from inspector.run.run import Run
from inspector.run.summary import is_later
from inspector.shared.stack import StackFrame, plain_name, user_frame
from inspector.trace.failed_guard import stripped_source

# torch/fx/experimental/symbolic_shapes.py, 2.11 to 2.13: the exception, and what
# ShapeEnv.produce_guards_verbose says was marked, and what the code made of it.
_VIOLATION = "ConstraintViolationError"
_CONSTANT = re.compile(
    r"You marked (?P<source>.+?) as dynamic but your code specialized it to be a constant "
    r"\((?P<value>.+?)\)"
)
_RANGE = re.compile(
    r"Not all values of (?P<source>.+?) = .*? satisfy the generated guard (?P<guard>.+?)"
    r"(?:\.\n|\n|$)"
)
_LINES = re.compile(r"^  - (.+?)(?=\n  - |\nUser stack|\n\n|\Z)", re.DOTALL | re.MULTILINE)
_COMPARES = re.compile(r"[=!]=|\b(?:in|is)\b")
_DIMENSION = re.compile(r"^(?P<tensor>.+)\.size\(\)\[(?P<index>\d+)\]$")


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """One marked dimension that cannot be dynamic.

    Attributes:
        source: The dimension in Dynamo's spelling (``L['x'].size()[0]``), or an empty string.
        guard: What the code asks of it instead, or an empty string.
    """

    source: str
    constant: str
    guard: str
    text: str


class ConstraintViolationRule(Rule[Run, Finding]):
    """A dimension that was marked as dynamic is specialized."""

    id = "constraint-violation"
    severity = Severity.ERROR

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per frame and dimension."""
        for process in run.processes:
            for frame in process.frames:
                seen: set[str] = set()
                for item in frame.compilations:
                    if item.failure is None or item.failure.type != _VIOLATION:
                        continue
                    for violation in violations(item.failure.reason):
                        if violation.text not in seen:
                            seen.add(violation.text)
                            yield _finding(run, frame, item, violation)


def _finding(run: Run, frame: Frame, item: Compilation, violation: Violation) -> Finding:
    use = next((use for use in item.specialized if use.source == violation.source), None)
    stack = use.guarded if use and use.guarded else item.failure.stack if item.failure else ()
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    place = user_frame(stack, run.roots) or definition
    tensor, dimension = _spelled(violation)
    fix, alternatives = _fixes(tensor, dimension, violation, _code(run, place))
    lines = [violation.text]
    if violation.constant and place.line:
        code = _code(run, place)
        where = f"{run.roots.shown(place.file)}:{place.line}"
        lines.append(f"specialized at {where}{f': {code}' if code else ''}")
    return Finding(
        **RULE.at(run, place, tensor, dimension, stack=stack or item.stack),
        message=_message(tensor, dimension, violation),
        why="\n".join(lines),
        fix=fix,
        alternatives=alternatives,
        notes=(f"{plain_name(frame.name)} is not compiled, and the call fails",),
        evidence="compilation_metrics",
        later=is_later(item),
    )


def _spelled(violation: Violation) -> tuple[str, str]:
    """The tensor as the user writes it, and the dimension."""
    match = _DIMENSION.match(violation.source)
    if match is None:
        return user_spelling(stripped_source(violation.source)), ""
    return user_spelling(stripped_source(match["tensor"])), match["index"]


def _message(tensor: str, dimension: str, violation: Violation) -> str:
    what = f"{tensor}.size({dimension})" if dimension else tensor
    if violation.constant:
        return f"{what} is marked as dynamic but specialized on {violation.constant}"
    if violation.guard:
        return f"{what} is marked as dynamic, but the code works for some sizes only"
    return f"a dynamic mark cannot be satisfied: {violation.text}"


def _code(run: Run, place: StackFrame) -> str:
    return (place.code or run.sources.line(place.file, place.line) or "").strip()


def _fixes(
    tensor: str, dimension: str, violation: Violation, code: str
) -> tuple[str, tuple[str, ...]]:
    if not violation.constant and violation.guard:
        bounds = user_spelling(stripped_source(violation.guard))
        fix = (
            f"Mark the supported range with torch._dynamo.mark_dynamic({tensor}, {dimension}, "
            f"min=…, max=…); it must lie within {bounds}."
        )
        return fix, (f"Call torch._dynamo.maybe_mark_dynamic({tensor}, {dimension}).",)
    if not dimension:
        return "", ()
    mark = f"torch._dynamo.maybe_mark_dynamic({tensor}, {dimension})"
    gives_way = f"Use {mark} instead, which allows specialization."
    unmarked = "Remove the mark: each size is then compiled once."
    if _COMPARES.search(code):
        # A size that is treated apart is meant to be a program of its own.
        return gives_way, (unmarked,)
    number = re.escape(violation.constant)
    if number and re.search(rf"(?<![\w.]){number}(?![\w.])", code):
        fix = (
            f"Use {tensor}.shape[{dimension}] instead of {violation.constant}, so the line works "
            "for any size."
        )
        return fix, (gives_way, unmarked)
    fix = (
        "Remove the mark: the line works for this size only, because a weight or an unmarked "
        "input has the same size. If it is an input, you can mark both inputs instead."
    )
    return fix, (gives_way,)


def violations(reason: str) -> tuple[Violation, ...]:
    """The dimensions that the exception's text names; a text of another form is one violation."""
    found = tuple(_violation(" ".join(text.split())) for text in _LINES.findall(reason))
    return found or (Violation("", "", "", reason.strip().partition("\n")[0]),)


def _violation(text: str) -> Violation:
    constant = _CONSTANT.search(text)
    if constant:
        return Violation(constant["source"], constant["value"], "", text)
    bounded = _RANGE.search(text)
    if bounded:
        return Violation(bounded["source"], "", bounded["guard"], text)
    return Violation("", "", "", text)


RULE = ConstraintViolationRule()
