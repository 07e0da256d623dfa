"""The words and numbers that every renderer uses, so that all of them say the same."""

import dataclasses
from collections.abc import Sequence

from inspector.errors import UsageError
from inspector.report.escaping import clipped, escaped, one_line
from inspector.report.finding import Finding, Place
from inspector.shared import units
from inspector.shared.meta import Meta

_NS_PER_US = 1_000
_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000
_S_PER_MIN = 60
_BELOW_TEN = 9.95
_WRONG_USE = UsageError.exit_code
_CODE_INDENTATION = "    "
_MAX_TITLE_CHARACTERS = 2_000
_MAX_CHARACTERS = 20_000  # of an explanation
count = units.count
size = units.size


@dataclasses.dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of a recorded explanation.

    Attributes:
        text: The line, harmless to show.
        code: Whether it is code or output, in which white space matters.
    """

    text: str
    code: bool


def duration(time_ns: float) -> str:
    """A duration with two or three digits: ``850 µs``, ``1.3 ms``, ``364 ms``, ``17.1 s``."""
    time_ns = round(time_ns)
    if time_ns < _NS_PER_MS:
        us = time_ns / _NS_PER_US
        return f"{us:.1f} µs" if 0 < us < _BELOW_TEN else f"{round(us)} µs"
    if time_ns < _NS_PER_S:
        ms = time_ns / _NS_PER_MS
        # 999.6 ms would round to "1000 ms".
        return f"{ms:.1f} ms" if ms < _BELOW_TEN else f"{min(round(ms), 999)} ms"
    seconds = time_ns / _NS_PER_S
    if seconds < 2 * _S_PER_MIN:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _S_PER_MIN)
    return f"{minutes:,} min {rest} s"


def listed(items: Sequence[str], most: int = 12) -> str:
    """``a, b, c``; of a long list its begin and how many follow."""
    if len(items) <= most + 1:
        return ", ".join(items)
    return f"{', '.join(items[:most])}, … {len(items) - most:,} more"


def location(place: Place) -> str:
    """``file:line:column`` as editors read it.

    Columns are shown from 1, as compilers and editors count them; in the model and in the JSON they
    are 0-based.
    """
    parts = [place.file or "(unknown place)"]
    if place.line:
        parts.append(str(place.line))
        if place.column is not None:
            parts.append(str(place.column + 1))
    return one_line(":".join(parts))


def failure(meta: Meta) -> str:
    """What ``meta.error`` is about: the program, or that it was asked for what cannot be."""
    return "it ended early" if meta.error_exit_code == _WRONG_USE else "the program failed"


def kind(finding: Finding) -> str:
    """``graph break GB0170``: the rule in words, with torch's id where it has one."""
    words = finding.rule.replace("-", " ").replace("cuda", "CUDA")
    return one_line(f"{words} {finding.gb_id}" if finding.gb_id else words)


def title(finding: Finding) -> str:
    """What was found, on one line."""
    return one_line(clipped(finding.message, _MAX_TITLE_CHARACTERS)).rstrip(":")


def status(finding: Finding) -> str:
    """``new`` or ``known``; empty without a baseline."""
    return {True: "new", False: "known", None: ""}[finding.is_new]


def advice(finding: Finding) -> tuple[str, ...]:
    """The fix, then what else can be done."""
    return tuple(dict.fromkeys(text for text in (finding.fix, *finding.alternatives) if text))


def pointer(finding: Finding) -> str:
    """Where the fix is shown as a program; empty where there is none."""
    if finding.example is None:
        return ""
    tested = versions(finding.example.tested_on)
    return f"`inspect rule {finding.example.id}`: before and after, tested on torch {tested}"


def versions(tested: Sequence[str]) -> str:
    """Versions of torch: ``2.11 to 2.13`` where all between are among them, or each."""
    (major, first), *_ = (version.split(".") for version in tested)
    row = [f"{major}.{int(first) + number}" for number in range(len(tested))]
    return f"{tested[0]} to {tested[-1]}" if [*tested] == row and row[1:] else listed(tested)


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """A recorded explanation line by line, without empty lines.

    Torch writes code and tensors' origins into its explanations, indented by four spaces or more.
    """
    lines = [line for line in escaped(clipped(text, _MAX_CHARACTERS)).split("\n") if line.strip()]
    return tuple(
        Paragraph(line.removeprefix(_CODE_INDENTATION).rstrip(), code=True)
        if line.startswith(_CODE_INDENTATION)
        else Paragraph(line.strip(), code=False)
        for line in lines
    )
