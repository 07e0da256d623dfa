"""Source text with the classes of its tokens, by Pygments."""

from collections.abc import Sequence

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import CppLexer, GasLexer, LlvmLexer, PtxLexer, PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

_MAX_HIGHLIGHTED_BYTES = 400_000  # a longer text is shown without colors: 1 MB takes 3 s
_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment, "c"), (Keyword, "k"), (String, "s"), (Number, "n"), (Name.Builtin, "b"),
    (Name.Constant, "b"), (Name.Variable, "b"), (Name.Function, "f"), (Name.Class, "f"),
    (Name.Decorator, "d"), (Name.Label, "d"), (Operator.Word, "k"),
)  # fmt: skip
_LEXERS: dict[str, type[Lexer]] = {
    "python": PythonLexer,
    "cpp": CppLexer,
    "ptx": PtxLexer,
    "sass": GasLexer,  # which calls registers constants
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
