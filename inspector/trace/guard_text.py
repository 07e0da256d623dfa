"""The text of guards: the comment after one, floats, and sources that differ in numbers."""

import dataclasses
import re

_CAUSE = re.compile(
    r"(?P<file>[^\s:][^:]*|<[^>]*>):(?P<line>\d{1,9}) in (?P<function>\S+?)(?P<note> \(.*)?",
    re.DOTALL,
)
# Strings, a quote that is never closed, and the hash behind two spaces that begins a comment.
_TOKENS = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"]|(?<=\ \ )\#""", re.DOTALL | re.VERBOSE
)
# TensorPropertySource of FloatTensorSource (torch/_dynamo/source.py); behind it 2.11 says, in
# torch/_dynamo/guards.py, that it knows of no place.
_ITEM = re.compile(r"___as_tensor\((?P<float>(?:[^()]|\([^()]*\))*)\)\.item\(\)")
_NO_PLACE = re.compile(r" # \(unknown source ___as_tensor\(.*\)\.item\(\), please file a bug\)")


@dataclasses.dataclass(frozen=True, slots=True)
class TextCause:
    """The line that made torch guard on something, as the comment behind a guard has it.

    Attributes:
        file: File that caused the guard, if known. Torch's files are relative to the directory that
            contains torch; other paths omit the prefix that they share with it.
        code: The source line, or an empty string for a line of torch's own.
    """

    file: str
    line: int
    function: str
    code: str
    note: str


def floats_by_name(text: str) -> str:
    """A text with ``L['n']`` for ``___as_tensor(L['n']).item()``, as torch 2.13 writes it."""
    if "___as_tensor(" not in text:
        return text
    return _ITEM.sub(r"\g<float>", _NO_PLACE.sub("", text))


def split_comment(text: str) -> tuple[str, TextCause | None]:
    """A guard's code without the comment behind it, and what the comment says.

    The code can hold strings with ``#`` in them, and so can the source line in the comment.
    """
    at = comment_at(text)
    if at < 0:
        return text.rstrip(), None
    return text[:at].rstrip(), _cause(text[at:].lstrip()[1:].strip())


def comment_at(text: str) -> int:
    """Where the comment begins: at the first ``  #`` outside of quotes; -1 without one."""
    for token in _TOKENS.finditer(text):
        if token[0] == "#":
            return token.start()
        if token[0] in {"'", '"'}:
            # A repr with a lone apostrophe: its code has no two spaces and a hash, most likely.
            return text.find("  # ") + 2 if "  # " in text else -1
    return -1


def _cause(comment: str) -> TextCause | None:
    """``source line  # file:12 in function (note)``; the source line may be missing."""
    at = len(comment)
    while at >= 0:
        at = comment.rfind("  # ", 0, at)
        match = _CAUSE.fullmatch(comment[at + 4 :] if at >= 0 else comment)
        if match:
            note = (match["note"] or "").strip()
            return TextCause(
                file=match["file"],
                line=int(match["line"]),
                function=match["function"],
                code=comment[:at].rstrip() if at >= 0 else "",
                note=note.removeprefix("(").removesuffix(")"),
            )
        if at < 0:
            break
    # Torch knows no line: "(unknown var s27, please file a bug)", "implicit guard for …".
    note = comment.removeprefix("(").removesuffix(")")
    return TextCause("", 0, "", "", note) if note else None
