"""Why Inductor put two operators into two kernels, in words that say what to change.

Read from the code around each ``WhyNoFuse`` in torch 2.11 and 2.13: torch/_inductor/scheduler.py,
choices.py, codegen/simd.py and codegen/cutlass/scheduling.py. Other torch versions word and check
some of it otherwise; tests/compile/test_fusion_reasons.py fails where the installed one does.

``{first}`` is the node that torch names first. It is mostly the earlier one, but not always: torch
tries templates and foreach kernels in both orders, and codegen/simd.py puts the pointwise node
before the reduction. Where the order matters, the sentence says what is true of each.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.graphs.refusals import choices, cutlass, scheduler, simd
from inspector.graphs.refusals.cutlass import PATTERNS
from inspector.graphs.refusals.reason import Known, Reason

KNOWN: Mapping[str, Known] = {
    **scheduler.KNOWN,
    **choices.KNOWN,
    **simd.KNOWN,
    **cutlass.KNOWN,
}
"""By the format that torch gives."""

# A conversion of Python's % formatting without a mapping key (the "printf-style String
# Formatting" of the library reference). The flags that torch never uses are there so that
# nothing of a hostile text is taken for another conversion.
_CONVERSION = re.compile(r"%(?:%|[#0\- +]*\d*(?:\.\d+)?[hlL]?[diouxXeEfFgGcrsa])")
_ARGUMENT = re.compile(r"\{(\d+)\}")


def explain(reason: str, arguments: Sequence[str]) -> Reason | None:
    """What a refusal of Inductor's scheduler means.

    Args:
        reason: What torch gave to ``WhyNoFuse``: a format, without the arguments in it.
        arguments: Of the format, as texts.

    Returns:
        The reason with the arguments in its sentence, or None for one that is not known (from a
        newer torch): `formatted` then gives torch's own words.
    """
    found = _find(reason)
    if found is None:
        return None
    known, groups = found
    values = groups or tuple(arguments)
    return dataclasses.replace(known.reason, sentence=_filled(known.reason.sentence, values))


def formatted(reason: str, arguments: Sequence[str]) -> str:
    """Torch's own words: the format with its arguments in it.

    A recording has the arguments as texts, and some of torch's formats were already filled in by
    an f-string, with whatever is in a shape or a node. So nothing here raises: a conversion
    without an argument stays as it is, and an argument without a conversion is left out.
    """
    remaining = iter(arguments)
    return _CONVERSION.sub(lambda conversion: _converted(conversion.group(), remaining), reason)


def _converted(conversion: str, remaining: Iterator[str]) -> str:
    if conversion == "%%":
        return "%"
    return next(remaining, conversion)


def _find(reason: str) -> tuple[Known, tuple[str, ...]] | None:
    """The entry of a reason, with what a pattern took out of it."""
    if known := KNOWN.get(reason):
        return known, ()
    for pattern, known in PATTERNS:
        if match := pattern.fullmatch(reason):
            return known, match.groups()
    return None


def _filled(sentence: str, values: Sequence[str]) -> str:
    """A sentence with its arguments; what a recording lacks is a question mark."""

    def value(argument: re.Match[str]) -> str:
        number = int(argument.group(1))
        text = " ".join(values[number].split()) if number < len(values) else "?"
        # `Reason.between` formats the sentence once more.
        return text.replace("{", "{{").replace("}", "}}")

    return _ARGUMENT.sub(value, sentence)
