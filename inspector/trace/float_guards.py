"""Guards on floats as torch 2.11 spells them: by the tensor that Dynamo makes of a float."""

from __future__ import annotations

import re

# TensorPropertySource of FloatTensorSource (torch/_dynamo/source.py); behind it 2.11 says, in
# torch/_dynamo/guards.py, that it knows of no place.
_ITEM = re.compile(r"___as_tensor\((?P<float>(?:[^()]|\([^()]*\))*)\)\.item\(\)")
_NO_PLACE = re.compile(r" # \(unknown source ___as_tensor\(.*\)\.item\(\), please file a bug\)")


def floats_by_name(text: str) -> str:
    """A text with ``L['n']`` for ``___as_tensor(L['n']).item()``, as torch 2.13 writes it."""
    if "___as_tensor(" not in text:
        return text
    return _ITEM.sub(r"\g<float>", _NO_PLACE.sub("", text))
