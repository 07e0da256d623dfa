"""Reads single values that a log can hold in any type.

A value that is not what torch writes is None: one bad field never costs the whole record.
"""

from collections.abc import Mapping

MAX_GUARD_CHARACTERS = 1 << 16
"""Of one guard's text that are read: parsing takes more than linear time."""

_LIMIT = 1 << 63  # what readers of our JSON can hold


def natural(value: object) -> int | None:
    """A whole number from 0 on (a line, a count, an id), or None."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LIMIT:
        return value
    return None


def nanoseconds(value: object, unit_ns: int) -> int | None:
    """A finite time from 0 on in ns, or None.

    Args:
        unit_ns: How many ns the unit has.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # NaN is in no range, and what is too large for a float is never multiplied with one.
    return round(value * unit_ns) if 0 <= value < _LIMIT // unit_ns else None


def text(fields: Mapping[str, object], name: str) -> str:
    """A field that is text, or an empty string."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    """The items of a list as text; none where it is no list."""
    value = fields.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()
