"""Compilations that failed: which frames, and what the compiler said."""

import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.report.escaping import one_line
from inspector.report.wording import count
from inspector.run.compilation import Failure, Frame
from inspector.run.run import Run
from inspector.shared.stack import plain_name
from inspector.trace.graph_break import BACKEND_FAILED

_MOST_FRAMES = 4
_MOST_TEXT = 240
# BackendCompilerFailed in torch/_dynamo/exc.py, and GB0219: what the backend says stands behind it.
_BEGINS = re.compile(r"^(?:backend='[^'\n]*' raised:\s*|The backend failed: |Backend compiler `)")
_BARE = re.compile(r"(?:^|: )\w+(?:Error|Exception)$")
_SENTENCE = re.compile(r"(?<=[^.\s])\.(?=\s+[A-Z])")
# GCC, Clang and MLIR: `file:line:column: error: …`; with a line of the source below.
_AT = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<said>.+)"
    r"(?:\n *\d* *\| ?(?P<code>.*))?",
    re.MULTILINE,
)
_PTXAS = re.compile(r"^ptxas(?: \S+, line \d+;)? *(?:fatal|error) *: *(?P<said>.+)", re.MULTILINE)
_PTXAS_AT = re.compile(r"^ptxas \S+, line \d+; error *: *(?P<said>.+)", re.MULTILINE)
# `triton.compiler.errors.CompilationError: at 12:4:`, the source, `^`, the message.
_TRITON = re.compile(
    r"\bCompilationError: at (?P<line>\d+):\d+:\n(?:.*\n)*?(?P<code>.*)\n *\^ *\n(?P<said>\S.*)"
)
_LINKER = re.compile(
    r"^(?:\S*/)?(?:ld|collect2|g\+\+|c\+\+|clang\S*|nvcc|cc1plus)\S*: (?:.*\berror: )?(?P<said>.+)"
    r"|^\S+: (?P<missing>undefined reference to .+)",
    re.MULTILINE,
)
_KINDS = (
    (_AT, "C++"), (_PTXAS_AT, "ptxas"), (_PTXAS, "ptxas"), (_TRITON, "Triton"), (_LINKER, "C++")
)  # fmt: skip
# What a tool's output is of: in other messages such words mean nothing.
_IS_COMPILER = re.compile(
    r"C\+\+ compile error|CppCompileError|CUDACompileError|CompilationError|PTXASError|\bptxas\b"
    r"|NoTritonConfigsError|SubprocException"
)


def failed_frames(run: Run) -> str:
    """Which frames failed to compile, and of what; an empty string where none did.

    ``compiling forward (model.py:34) failed: RuntimeError: Trying to backward through …``
    """
    found = dict.fromkeys(
        text for process in run.processes for frame in process.frames
        for text in _failures(run, frame)
    )  # fmt: skip
    more = len(found) - _MOST_FRAMES
    shown = [*found][:_MOST_FRAMES] + ([f"and {count(more, 'more frame')}"] if more > 0 else [])
    return "; ".join(shown)


def _failures(run: Run, frame: Frame) -> Iterator[str]:
    place = f" ({run.roots.shown(frame.file)}:{frame.first_line})" if frame.first_line else ""
    name = f"compiling {plain_name(frame.name)}{place} failed: "
    for item in frame.compilations:
        if item.failure is not None and item.raised:
            said = error_text(item.failure)
            yield name + said.removeprefix("BackendCompilerFailed: ")
            return
        causes = (record.cause for record in item.graph_breaks)
        cause = next((cause for cause in causes if cause.gb_id == BACKEND_FAILED), None)
        if cause is not None:
            yield name + error_sentence(cause.explanation)
            return


def error_text(failure: Failure) -> str:
    """The exception's type with the first sentence of what it says."""
    error = compiler_error(failure.reason)
    said = error_sentence(
        f"{error.tool} compile error: {error.message}" if error else failure.reason
    )
    return said if said.startswith(failure.type) else f"{failure.type}: {said}"


def failed_at(error: str, frames: Sequence[str]) -> str:
    """The first line of an error; one that says nothing has the place where it was raised."""
    said = error.strip().partition("\n")[0].rstrip(": ")
    if not said or (frames and _BARE.search(said)):
        place = re.sub(r"^.*/(?=torch/)", "", frames[-1]) if frames else ""
        return f"{said or 'no reason given'}{f' in {place}' if place else ''}"
    return said


def error_sentence(reason: str) -> str:
    """The first sentence of what an exception says."""
    text = _BEGINS.sub("", reason.strip())
    lines = (line.strip() for line in text.split("\n"))
    first = next((line for line in lines if re.search(r"\w", line)), "no reason given")
    sentence = one_line(_SENTENCE.split(first, maxsplit=1)[0]).rstrip(".:")
    return sentence if len(sentence) <= _MOST_TEXT else f"{sentence[: _MOST_TEXT - 1]}…"


@dataclasses.dataclass(frozen=True, slots=True)
class CompilerError:
    """The first error of a tool, with the line of generated code that it is about."""

    tool: str  # C++, ptxas or Triton
    message: str
    code: str = ""
    line: int = 0


def compiler_error(text: str) -> CompilerError | None:
    """The first error of a compiler in an exception's text; None where there is none."""
    if not _IS_COMPILER.search(text):
        return None
    _, found, output = text.partition("\nOutput:\n")
    for kind, tool in _KINDS:
        match = kind.search(output if found else text)
        if match is not None:
            fields = match.groupdict()
            said = fields.get("said") or fields.get("missing") or ""
            code = (fields.get("code") or "").strip()
            return CompilerError(tool, said.strip(), code, int(fields.get("line") or 0))
    return None
