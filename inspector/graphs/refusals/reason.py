"""What a refusal is: a sentence for the author of the model, and what lets the two fuse."""

from __future__ import annotations

import dataclasses
from typing import Literal

Kind = Literal[
    "benefit",
    "device",
    "layout",
    "library",
    "memory",
    "mutation",
    "order",
    "other",
    "reduction",
    "shape",
    "size-limit",
    "template",
    "user kernel",
]
"""What a refusal is about. ``benefit``: torch could fuse the two, and expects nothing from it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """Why two operators are two kernels.

    Attributes:
        sentence: For the author of the model; with ``{first}`` and ``{second}`` for the operators.
        change: What lets them fuse, or empty where nothing from outside does.
    """

    sentence: str
    change: str
    kind: Kind

    def between(self, first: str, second: str) -> str:
        """The sentence about two operators, described as the reader knows them."""
        return self.sentence.format(first=first, second=second)


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A reason, and the torch versions that give it.

    Attributes:
        reason: With ``{0}``, ``{1}``… for torch's arguments, or the groups of a pattern.
        versions: Minor versions of torch.
    """

    reason: Reason
    versions: tuple[str, ...]


def every(kind: Kind, sentence: str, change: str = "") -> Known:
    """A reason that every version gives."""
    return Known(Reason(sentence, change, kind), ("2.11", "2.12", "2.13"))


def in_2_11(kind: Kind, sentence: str, change: str = "") -> Known:
    """One that is gone in 2.12."""
    return Known(Reason(sentence, change, kind), ("2.11",))


def since_2_12(kind: Kind, sentence: str, change: str = "") -> Known:
    """One that 2.11 does not give."""
    return Known(Reason(sentence, change, kind), ("2.12", "2.13"))


CONFIG = "torch._inductor.config"
SAME_ACCESS = (
    "Put a transpose, slice, gather or .contiguous() before both or after both, not between them."
)
FUNCTIONAL = "Return a new tensor instead of changing one in place."
