"""Artifact ``dynamo_graph_break_reason``: one record of a graph break, as text.

The text is made by ``log_graph_break`` (torch/_dynamo/symbolic_convert.py) out of messages of
``format_graph_break_message`` (torch/_dynamo/exc.py); two other places of torch 2.13 write variants
of it. Everything here is therefore parsed text: what cannot be found is None.
"""

import dataclasses
import re
import textwrap
from typing import Self

from inspector.records.stack import StackFrame
from inspector.trace.envelope import Envelope
from inspector.trace.inside_compiler import inside_compiler
from inspector.trace.printed_stack import printed_frames

_HEADER = re.compile(r"Graph break in user code at (?P<file>.*):(?P<line>\d{1,9})$", re.MULTILINE)
# The second form is torch 2.6's.
_REASON = re.compile(r"^(?:Graph Break Reason: |Reason: (?:Unsupported: )?)", re.MULTILINE)
_STACK_TITLES = (
    "User code traceback:\n",
    "The graph break occurred in the following user code:\n",
    "from user code:\n",
)
_PYTHON_TRACEBACK = re.compile(
    r"^(?:Traceback \(most recent call last\):|NoneType: None)", re.MULTILINE
)
_ATTRIBUTION = "\nStack variable source attribution:"
_NESTED = re.compile(
    r"\n+\*\*\* While handling this graph break, another graph break occurred: \*\*\*\n+"
)
# What torch puts before the message says what becomes of the frame (log_graph_break's callers).
_PREFIXES = (
    (
        re.compile(
            r"Encountered graph break when attempting to (?:trace|store) .*?:\n\n", re.DOTALL
        ),
        "resumed",
    ),
    (
        re.compile(
            r"Encountered graph break that we cannot resume from\..*?encountered:\n\n", re.DOTALL
        ),
        "rest-skipped",
    ),
    (
        re.compile(r"Failed to handle graph break gracefully\..*?encountered:\n\n", re.DOTALL),
        "frame-skipped",
    ),
)
# A frame that is skipped at a break that torch has not logged: the cause is in the exception alone.
_SKIPPED = re.compile(r"Graph break: torch\.compile cannot properly resume from this graph break")
_UNSUPPORTED = re.compile(r"^torch\._dynamo\.exc\.Unsupported: ", re.MULTILINE)
# ``unimplemented_with_warning`` (torch/_dynamo/exc.py) writes a record of its own, with nothing but
# Python's traceback, before the record of the break that it raises next; its one caller is the
# call of the backend.
_REFUSED = re.compile(r"WON'T CONVERT \S+ (?P<file>.*) line (?P<line>\d{1,9})$", re.MULTILINE)
_REFUSED_TYPE = "Backend compiler exception"
BACKEND_FAILED = "GB0219"
"""Torch's id of a break where the backend raised an exception."""
_OPERATOR_STACK = re.compile(
    r"^ *(?:Original traceback:|Found from : *)\n((?: +\S.*(?:\n|$))+)", re.MULTILINE
)
# Python prints the first cause first.
_NEXT_CAUSE = re.compile(r"^(?:The above exception was|During handling of the above)", re.MULTILINE)
_OPERATOR = re.compile(
    r"\s+While executing %\S+ : .*?\[target=(?P<target>[\w.]+)\].*"
    r"(?:\n *Original traceback:\n(?: *\S.*\n?)+)?"
)
_WORD = re.compile(r"\w")
_TRACEBACK = "Traceback (most recent call last):"
_URL = re.compile(r"https?://\S+")
_GB_ID = re.compile(r"/gb(\d+)\.html")


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """Torch's message about a graph break.

    Attributes:
        gb_type: Torch's context-free name of the break, or None where the text has no such form.
        title: The ``gb_type`` if there is one, otherwise the first line of the message.
        context: The "developer debug context", or an empty string.
        gb_id: Id of the graph break (``GB0059``), taken from the link in torch's message, or None.
        higher_order: The higher-order operator whose function broke
            (``torch.utils.checkpoint.checkpoint``), or an empty string.
    """

    gb_type: str | None
    title: str
    explanation: str = ""
    hints: tuple[str, ...] = ()
    context: str = ""
    url: str = ""
    gb_id: str | None = None
    higher_order: str = ""

    def torch_text(self, file: str) -> str:
        """All that tells one situation from another, with the file that torch was in."""
        return f"{self.context}\n{self.explanation}\n{self.higher_order}\n{file}"


@dataclasses.dataclass(frozen=True, slots=True)
class Raised:
    """The frames outside torch that an exception passed through while Dynamo compiled.

    Attributes:
        implementation: Those of an operator's implementation (``register_fake``).
    """

    frames: tuple[StackFrame, ...] = ()
    implementation: tuple[StackFrame, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the first traceback in a text: the first cause's."""
        _, _, printed = text.partition(_TRACEBACK)
        first = _NEXT_CAUSE.split(printed, maxsplit=1)[0]
        return cls(*inside_compiler(printed_frames(first)))


@dataclasses.dataclass(frozen=True, slots=True)
class GraphBreakReason:
    """One record of a graph break.

    Attributes:
        file: Where torch says that the graph broke (it can be a library's file), or None.
        outcome: ``resumed`` (a graph before it, tracing goes on after it), ``rest-skipped`` (the
            rest of the function runs eagerly), ``frame-skipped`` (the whole function runs eagerly).
        causes: The break itself first, then those that torch met while handling it.
        operator: The stack of the operator that the backend failed at, from the compiled function
            inwards; empty where the text names none.
    """

    file: str | None
    line: int | None
    outcome: str
    causes: tuple[Cause, ...]
    stack: tuple[StackFrame, ...]
    operator: tuple[StackFrame, ...] = ()
    raised: Raised = dataclasses.field(default_factory=Raised)

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's text."""
        return cls.parse(envelope.text())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a record out of its text, whatever part of it is there."""
        refused = _REFUSED.match(text)
        if refused:
            error = _last_error(text[refused.end() :])
            cause = Cause(
                _REFUSED_TYPE, _REFUSED_TYPE, f"The backend failed: {error}", gb_id=BACKEND_FAILED
            )
            place = (refused["file"], int(refused["line"]))
            raised = Raised.parse(text)
            found = cls(*place, outcome="frame-skipped", causes=(cause,), stack=(), raised=raised)
            return found.at_frames(operator_stack(text))
        head, stack = _split_stack(text)
        header = _HEADER.search(head)
        message = head[header.end() :].lstrip("\n") if header else head
        if _SKIPPED.match(message) and (errors := _UNSUPPORTED.split(text)[1:]):
            message = _split_stack(errors[-1])[0]
        reason = _REASON.search(message)
        message = message[reason.end() :] if reason else message
        message = message.partition(_ATTRIBUTION)[0]
        # A data-dependent branch has no prefix and is resumed; the variants without a header skip.
        outcome = "resumed" if header else "frame-skipped"
        for pattern, said in _PREFIXES:
            if match := pattern.match(message):
                outcome, message = said, message[match.end() :]
                break
        found = cls(
            file=header["file"] if header else None,
            line=int(header["line"]) if header else None,
            outcome=outcome,
            causes=parse_causes(message),
            stack=printed_frames(stack),
            raised=Raised.parse(text),
        )
        is_backends = any(cause.gb_id == BACKEND_FAILED for cause in found.causes[:1])
        return found.at_frames(operator_stack(message)) if is_backends else found

    def at_frames(self, frames: tuple[StackFrame, ...], said: str = "") -> Self:
        """The record at the operator that the backend failed at, whose stack these frames are.

        Torch gives the place of the function, and in the backend's error the operator of Dynamo's
        graph with its stack (``Interpreter.run`` of torch/fx/interpreter.py).

        Args:
            said: What the error is to say of the operator, beyond what it says.
        """
        if not frames:
            return self
        place = frames[-1]
        first = self.causes[0]
        # Without the operator and its stack, which are elsewhere.
        explanation, context = (
            _OPERATOR.sub(r" while executing \1", text).partition("Use tlparse to see")[0].strip()
            for text in (first.explanation, first.context)
        )
        explanation = explanation.removesuffix(". Adding a graph break.") + said
        first = dataclasses.replace(first, explanation=explanation, context=context)
        causes = (first, *self.causes[1:])
        return dataclasses.replace(
            self, file=place.file, line=place.line, causes=causes, operator=frames
        )


def operator_stack(text: str) -> tuple[StackFrame, ...]:
    """The stack of the operator that an error of a backend names; empty where it names none."""
    found = _OPERATOR_STACK.search(text)
    return printed_frames(textwrap.indent(textwrap.dedent(found[1]), "  ")) if found else ()


def _split_stack(text: str) -> tuple[str, str]:
    for title in _STACK_TITLES:
        head, found, stack = text.partition(title)
        if found:
            end = _PYTHON_TRACEBACK.search(stack)
            return head, stack[: end.start()] if end else stack
    end = _PYTHON_TRACEBACK.search(text)
    return (text[: end.start()] if end else text), ""


def _last_error(text: str) -> str:
    """The exception of a printed traceback in one line.

    Frames are indented; behind it torch puts separators and the user's stack, and in what
    ``BackendCompilerFailed`` says the error of the backend has a line of its own.
    """
    lines = [line for line in text.rpartition(_TRACEBACK)[2].split("\n") if _WORD.search(line)]
    plain = [line.rstrip() for line in lines if not line[0].isspace()]
    said = next((line for line in plain if not line.endswith(" raised:")), "")
    return said or "no reason given"


def parse_causes(message: str) -> tuple[Cause, ...]:
    """The breaks in a message, the first one first and those that wrap it after it."""
    return tuple(_cause(part) for part in _NESTED.split(message.strip("\n")) if part.strip())


def _cause(message: str) -> Cause:
    title, _, rest = message.strip("\n").partition("\n")
    titles = ("Higher Order Operator", "Explanation", "Hint", "Developer debug context")
    sections: dict[str, list[str]] = {title: [] for title in titles}
    current: list[str] = []
    url = ""
    for line in rest.split("\n"):
        name, found, begin = line.removeprefix("  ").partition(": ")
        if line.startswith("  ") and found and name in sections:
            sections[name].append(begin)
            current = sections[name]
        elif line.startswith(" For more details about this graph break"):
            link = _URL.search(line)
            url = link[0] if link else ""
            current = []
        elif current:
            current[-1] += "\n" + line.removeprefix("    ")
    gb_id = _GB_ID.search(url)
    return Cause(
        gb_type=title.strip() if sections["Explanation"] else None,
        title=title.strip(),
        explanation="".join(sections["Explanation"][:1]).strip(),
        hints=tuple(hint.strip() for hint in sections["Hint"]),
        context="".join(sections["Developer debug context"][:1]).strip(),
        url=url,
        gb_id=f"GB{gb_id[1]}" if gb_id else None,
        higher_order="".join(sections["Higher Order Operator"][:1]).strip(),
    )
