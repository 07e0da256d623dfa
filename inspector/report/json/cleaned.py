"""Makes recorded values fit for JSON: what a log can hold and JSON cannot."""

from __future__ import annotations

from collections.abc import Mapping

# What orjson writes, and most readers keep.
_LEAST, _MOST = -(2**63), 2**63 - 1


def cleaned(value: object) -> object:
    """The value without what orjson refuses.

    Lone surrogates are spelled out (a file name that is no UTF-8), integers beyond 64 bits are cut
    to them, and what is of no JSON type is text. (NaN and infinity orjson writes as null.)
    """
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case None | bool() | float():
            return value
        case int():
            return min(max(value, _LEAST), _MOST)
        case Mapping():
            return {str(cleaned(str(name))): cleaned(item) for name, item in value.items()}
        case list() | tuple():
            return [cleaned(item) for item in value]
        case _:
            return cleaned(str(value))
