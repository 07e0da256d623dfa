"""The article of a class's name: ``an Act``, ``a Linear``."""

from __future__ import annotations

import re

# Of names that begin with a vowel, those that are not spoken so: UNet, User, Utility, OneHot.
_SPOKEN_WITHOUT = re.compile(r"(?i)un[ei]|us(?:e|a|u)|ut[ei]|one|eu(?!ler)")
_VOWEL = re.compile(r"[aeiouAEIOU]")


def with_article(name: str) -> str:
    """A name behind the article that it is spoken with, as far as its letters tell."""
    is_vowel = _VOWEL.match(name) and not _SPOKEN_WITHOUT.match(name)
    return f"{'an' if is_vowel else 'a'} {name}"
