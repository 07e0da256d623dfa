"""Source text with the classes of its tokens, by Pygments."""

from collections.abc import Sequence

from pygments import lex
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import CppLexer, LlvmLexer, PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, _TokenType

_MAX_HIGHLIGHTED_BYTES = 400_000  # a longer text is shown without colors: 1 MB takes 3 s
_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment, "c"), (Keyword, "k"), (String, "s"), (Number, "n"), (Name.Builtin, "b"),
    (Name.Function, "f"), (Name.Class, "f"), (Name.Decorator, "d"), (Name.Label, "d"),
    (Operator.Word, "k"),
)  # fmt: skip


class AssemblyLexer(RegexLexer):
    """PTX and SASS: opcodes, registers, labels, numbers and comments."""

    name = "GPU assembly"
    tokens = {  # noqa: RUF012 - as Pygments has it
        "root": [
            (r"//[^\n]*|/\*.*?\*/", Comment),
            (r"\"[^\"\n]*\"", String),
            (r"^\s*[\w$.]+:", Name.Label),
            (r"\.[a-zA-Z_][\w.]*", Keyword),
            (r"%?\b(?:U?R\d+|U?P[T\d]|RZ|URZ|SR_[\w.]+|c)\b|%\w+(?:\.\w+)?", Name.Builtin),
            (r"\b[A-Z][A-Z0-9]+(?:\.[\w.]+)?", Name.Function),
            (r"\b[a-z][a-z0-9]+(?:\.[a-z0-9_]+)+", Name.Function),
            (r"\b0[fFdDxX][\da-fA-F]+|-?\b\d+(?:\.\d+)?", Number),
            (r"[{}\[\]();,|@!+\-]", Punctuation),
            (r"[^\S\n]+|\n|\w+|.", Name),
        ]
    }


_LEXERS: dict[str, type[Lexer]] = {
    "python": PythonLexer,
    "cpp": CppLexer,
    "ptx": AssemblyLexer,
    "sass": AssemblyLexer,
    "ttgir": LlvmLexer,
}


def tokens(text: str, language: str) -> list[list[object]]:
    """By line the classes of its characters, ``[length, class, …]``; empty without colors."""
    lines: list[list[object]] = [[]]
    lexer = _LEXERS.get(language)
    if lexer is None or len(text) > _MAX_HIGHLIGHTED_BYTES:
        return [[] for _ in text.split("\n")]
    for kind, value in lex(text, lexer(stripnl=False, ensurenl=False)):
        name = next((name for base, name in _CLASSES if kind in base), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                line = lines[-1]
                if line and line[-1] == name:
                    line[-2] = int(str(line[-2])) + len(part)
                else:
                    line += [len(part), name]
    return [line if any(line[1::2]) else [] for line in lines]
