"""Where code stands in a sentence: ``Write x = x.to(torch.float32) before the call``.

Renderers keep it on one line, or set it as code. What is taken for code is an expression with its
brackets and strings closed, and nothing that is only punctuation around words.
"""

import re
from collections.abc import Iterator

_WORD = re.compile(r"\S+")
# A name with a bracket, an attribute or an underscore; a literal in brackets; a keyword argument.
_CODE = re.compile(r"[\w\])'\"][(\[]|[A-Za-z_]\w*\.[A-Za-z_]|\w_\w|^_\w|^[{\[]['\"\w]|\w=[\w'\"]")
_BEGINS = re.compile(r"[\w{\['\"*]")
_TARGET = re.compile(r"[A-Za-z_][\w.\[\]'\"]*")
_EQUALS = re.compile(r" = (?=\S)")
_FURTHER = re.compile(r" [A-Za-z_]\w*(?= = \S)")
_WORDS = frozenset({"e.g", "i.e"})
_END = ".,;:?!"
_OPEN = {"(": ")", "[": "]", "{": "}"}
_MOST = 300


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Beginning and end of each piece of code in a sentence, in order."""
    position = 0
    while (word := _WORD.search(text, position)) is not None:
        start = word.start() + len(word[0]) - len(word[0].lstrip("("))  # of prose
        end = _closed(text, start) if _BEGINS.match(text, start) else word.end()
        end = _with_assignment(text, start, end)
        position = max(end, word.end())
        # A longer word is data.
        shown = text[start:end].rstrip(_END).removesuffix("'s") if end - start <= _MOST else ""
        is_balanced = all(shown.count(begin) == shown.count(end) for begin, end in _OPEN.items())
        if _CODE.search(shown) and shown not in _WORDS and is_balanced:
            yield start, start + len(shown)


def _with_assignment(text: str, start: int, end: int) -> int:
    """The end of ``a = b``, where a word is its target, and of ``; c = d`` behind it."""
    if _TARGET.fullmatch(text, start, end) is None:
        return end
    while (match := _EQUALS.match(text, end)) is not None:
        end = _closed(text, match.end())
        further = _FURTHER.match(text, end) if text[end - 1] == ";" else None
        if further is None:
            break
        end = further.end()
    return end


def _closed(text: str, start: int) -> int:
    """The end of the word at a place, with further words while a bracket or a string is open."""
    waiting: list[str] = []
    quote = ""
    for index in range(start, min(len(text), start + _MOST)):
        character, before = text[index], text[index - 1] if index > start else " "
        if quote:
            quote = "" if character == quote and before != "\\" else quote
        elif character in "'\"" and not before.isalnum():  # else an apostrophe
            quote = character
        elif character in _OPEN:
            waiting.append(_OPEN[character])
        elif waiting and character == waiting[-1]:
            waiting.pop()
        elif not waiting and (character.isspace() or character in ")]}"):
            return index
    if not waiting and not quote and len(text) <= start + _MOST:
        return len(text)
    word = _WORD.match(text, start)  # it never ends: no code
    return word.end() if word else start
