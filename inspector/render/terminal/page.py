"""A page of lines: how wide it is, how it is wrapped, and how it reaches the stream."""

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from inspector.report.code_spans import code_spans
from inspector.report.escaping import escaped, one_line

_DEFAULT_WIDTH = 80
_LEAST_WIDTH = 40
_MOST_PROSE = 100
# Stands for a space at which no line may break; rich breaks at a no-break space, too.
_GLUE = "\ue000"
# What an encoding without these characters shows instead (a Windows code page, LANG=C).
_PLAIN = str.maketrans(
    {"│": "|", "┃": ">", "·": "-", "…": "...", "µ": "u", "─": "-", "█": "#"}
    | {"▓": "=", "▒": "+", "░": ":", "\N{MULTIPLICATION SIGN}": "x", "→": "->"}
    | dict.fromkeys("▏▎▍▌▋▊▉", "")
)


class Page:
    """Collects blocks of lines, with an empty line between any two of them.

    Recorded text must come through `safe`, or through the functions of
    `inspector.report.wording`: nothing else is allowed to reach a terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.width = _width(stream)
        self._console = Console(
            file=stream,
            width=self.width,
            # FORCE_COLOR is about the standard streams; a file never gets escape sequences.
            force_terminal=None if stream in (sys.stdout, sys.stderr) else stream.isatty(),
            # In a notebook, rich would show the page instead of writing it to the stream.
            force_jupyter=False,
            markup=False,
            highlight=False,
            emoji=False,
        )
        self._blocks: list[list[Text]] = []

    @property
    def prose_width(self) -> int:
        """How wide sentences are at most: long lines are hard to read."""
        return min(self.width, _MOST_PROSE)

    @staticmethod
    def safe(text: str, style: str = "") -> Text:
        """Recorded text, on one line, with everything spelled out that a terminal would obey."""
        return Text(one_line(text), style=style)

    def add(self, lines: Iterable[Text]) -> None:
        """Adds a block; an empty one is none."""
        block = list(lines)
        if block:
            self._blocks.append(block)

    def wrapped(self, text: Text, first: str = "", further: str | None = None) -> list[Text]:
        """A text in lines of `prose_width`, behind ``first``, and further lines behind as much."""
        indentation = " " * len(first) if further is None else further
        width = max(self.prose_width - max(len(first), len(indentation)), 1)
        plain = _GLUE in text.plain
        lines = (text if plain else _glued(text, width)).wrap(self._console, width, overflow="fold")
        for line in () if plain else lines:
            line.plain = line.plain.replace(_GLUE, " ")
        return [
            Text(indentation if index else first).append_text(line)
            for index, line in enumerate(lines)
        ]

    def cropped(self, text: Text) -> Text:
        """A text on one line, cut off at the width."""
        text = text.copy()
        text.truncate(self.width, overflow="ellipsis")
        return text

    def verbatim(self, text: str, indentation: str, style: str = "", most: int = 0) -> list[Text]:
        """Recorded lines as they are, ``most`` of them or all, wrapped where they are too long."""
        recorded = escaped(text).rstrip("\n").split("\n")
        lines: list[Text] = []
        for line in recorded[: most or None]:
            lines += self.wrapped(Text(line.rstrip(), style=style), indentation)
        if most and len(recorded) > most:
            lines.append(Text(f"{indentation}… {len(recorded) - most:,} more lines", style="dim"))
        return lines

    def write(self) -> None:
        """Writes the page to the stream, without trailing white space."""
        with self._console.capture() as capture:
            for index, block in enumerate(self._blocks):
                if index:
                    self._console.print()
                for line in block:
                    line.rstrip()
                    self._console.print(line, soft_wrap=True)
        self._stream.write(_encodable(capture.get(), self._stream.encoding or "utf-8"))


def _glued(text: Text, width: int) -> Text:
    """The same with code that fits on a line held together: a copied line is code again."""
    plain = text.plain
    glued = list(plain)
    for start, end in code_spans(plain):
        if cell_len(plain[start:end]) <= width:
            glued[start:end] = plain[start:end].replace(" ", _GLUE)
    text = text.copy()
    text.plain = "".join(glued)
    return text


def _width(stream: TextIO) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return max(int(columns), _LEAST_WIDTH)
    if not stream.isatty():
        return _DEFAULT_WIDTH
    try:
        return max(os.get_terminal_size(stream.fileno()).columns or _DEFAULT_WIDTH, _LEAST_WIDTH)
    except OSError:
        return _DEFAULT_WIDTH


def _encodable(text: str, encoding: str) -> str:
    """The text with everything replaced that the stream could not write."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text
