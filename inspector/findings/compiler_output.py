"""The first error in what a C++ compiler, ptxas or Triton prints."""

from __future__ import annotations

import dataclasses
import re

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


@dataclasses.dataclass(frozen=True, slots=True)
class CompilerError:
    """The first error.

    Attributes:
        tool: Whose error it is: ``C++``, ``ptxas`` or ``Triton``.
        said: What the compiler says, without the file.
        code: The line of generated code that it is about, or an empty string.
        line: Its number in the generated file, or 0.
    """

    tool: str
    said: str
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
