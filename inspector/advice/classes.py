"""Classes and their attributes."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import SKIPPED

CLASS = Advice(
    id="class-statement",
    kinds=(
        Kind("GB8977", "Invalid call to __build_class__"),
        SKIPPED,
    ),
    says=r"build_class",
    title="a class defined in compiled code",
    fix="Define the class at the top of the module, and pass it what it takes from the function.",
    keeps="The outputs.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

GETATTR = Advice(
    id="getattr-not-a-function",
    kinds=(Kind("GB0256", "User-defined object with non-function __getattr__"),),
    title="a __getattr__ that is no function",
    fix="Write `__getattr__` as a method (`def __getattr__(self, name)`), which is traced.",
    keeps="The outputs.",
)

ADVICE = (CLASS, GETATTR)
