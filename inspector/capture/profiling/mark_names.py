"""Names of marks that libkineto's trace gives back as they were.

It drops what is not ASCII, and knows nothing of quotes and backslashes in a name: a model in
``/home/jörg`` would have no lines.
"""

from __future__ import annotations

import functools
import urllib.parse

_OURS = "inspector "
"""What all names of marks begin with."""
_AS_THEY_ARE = " !#$&'()*+,-./:;<=>?@[]^_`{|}~"


@functools.lru_cache(maxsize=4096)  # a call has the same again and again
def mark_name(text: str) -> str:
    """The name of a mark: the text, with what cannot be in it as in an address (``%C3%B6``)."""
    return urllib.parse.quote(text, _AS_THEY_ARE, errors="surrogatepass")


def marked_text(name: str) -> str:
    """The text of a mark, by its name in the trace; all other names as they are."""
    return urllib.parse.unquote(name, errors="surrogatepass") if name.startswith(_OURS) else name
