"""Makes recorded text harmless to show: whatever a terminal or a browser would obey is spelled out.

Escape sequences can rewrite a terminal's screen, and bidirectional controls can make source text
read differently from what it is ("Trojan Source", CVE-2021-42574).
"""

import unicodedata

TAB = "    "
"""What a tab is shown as: the columns of carets count characters, so a tab is a fixed width."""

# Control, format (bidirectional controls, zero-width characters), surrogate, line and paragraph
# separator: the Unicode categories of characters that are obeyed instead of shown.
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LATIN = 0x100
_BASIC_PLANE = 0x10000


def clipped(text: str, most: int) -> str:
    """The beginning of a recorded text that is too long for a person; JSON reports have all."""
    if len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text) - most:,} more characters in the JSON report)"


def escaped(text: str) -> str:
    r"""The text with everything spelled out that is not shown (``\x1b``), but for line ends.

    Tabs become spaces.
    """
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("".join(pieces(line)) for line in lines)


def one_line(text: str) -> str:
    """The text as `escaped` has it, with all of its white space folded into single spaces."""
    return escaped(" ".join(text.split()))


def pieces(line: str) -> tuple[str, ...]:
    """What each character of a line is shown as, one string per character."""
    return tuple(map(_shown, line))


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    if unicodedata.category(character) not in _OBEYED:
        return character
    code = ord(character)
    if code < _LATIN:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _BASIC_PLANE else f"\\U{code:08x}"
