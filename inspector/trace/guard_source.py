"""The user's spelling of what torch calls a source.

Torch's sources are Python expressions over the frame's locals ``L`` and globals ``G``
(torch/_dynamo/source.py): ``L['self']._modules['layers']._modules['3']._parameters['weight']`` is
what the user writes as ``self.layers[3].weight``.
"""

import enum
import functools
import re

_LOCAL = re.compile(r"\b[LG]\['([^'\\]*)'\]")
_IMPORT = re.compile(r"__import_(\w+)")
_BUILTINS = re.compile(r"\b__builtins_dict___\d+(?:\['(\w+)'\])?")
_MODULE_DICT = re.compile(r"(?:\.__dict__)?\._(?:modules|parameters|buffers)\['([^'\\]*)'\]")
_GETATTR = re.compile(r"getattr\((.+?), '([^'\\]+)'\)")
_CELL = re.compile(r"(\.__closure__\[(\d+)\])\.cell_contents")
_STACK = re.compile(r"___stack(\d+)")
# An attribute of a class that is reached from an instance (TypeDictSource, TypeMROSource).
_CLASS_DICT = re.compile(
    r"dict\(type\((?P<owner>(?:(?!dict\(type\().)+?)\)(?:\.__mro__\[\d+\])?\.__dict__\)"
    r"\[(['\"])(?P<name>\w+)\2\]"
)
_OWN_DICT = re.compile(r"\.__dict__\[(['\"])([A-Za-z_]\w*)\1\]")
_SIZE = re.compile(r"\.(size|stride)\(\)\[(\d+)\]")
_INTERNAL = re.compile(r"G\['(?:__import_|__builtins_dict__|___|__compiled|__resume)")


class Origin(enum.Enum):
    """Whose value a guard checks."""

    INPUT = "input"
    MODULE = "module"
    PARAMETER = "parameter"
    GLOBAL = "global"
    CLOSURE = "closure"
    KEPT = "kept across a graph break"
    LIBRARY = "library"
    STATE = "state"


def origin_of(source: str) -> Origin:
    """Whose value it is, as far as the spelling says."""
    if source in {"", "L", "G"}:
        return Origin.STATE
    source = without_class_dicts(source)
    return next((origin for form, origin in _ORIGINS if form.search(source)), Origin.INPUT)


_ORIGINS = (
    (_INTERNAL, Origin.LIBRARY),
    (re.compile(r"\._(?:parameters|buffers)\["), Origin.PARAMETER),
    (re.compile(r"\.__closure__|\.cell_contents"), Origin.CLOSURE),
    (_STACK, Origin.KEPT),
    (re.compile(r"G\["), Origin.GLOBAL),
    (re.compile(r"L\['self'\]|\._modules"), Origin.MODULE),
)


def module_of(source: str) -> str:
    """The module that a source belongs to (``layers.3``), or an empty string.

    The model itself is ``self``, whatever its first parameter is called.
    """
    source = without_class_dicts(source)
    names = re.findall(r"\._modules\['([^'\\]*)'\]", source)
    if names:
        return ".".join(names)
    is_own = re.search(r"\._(?:parameters|buffers|modules)\b", source) or "L['self']" in source
    return "self" if is_own else ""


# The trees of several cache entries have the same sources.
@functools.lru_cache(maxsize=1 << 16)
def spelled(source: str) -> str:
    """The source as the user would write it."""
    source = without_class_dicts(source)
    text = _IMPORT.sub(lambda match: match[1].replace("_dot_", "."), source)
    text = _LOCAL.sub(r"\1", text)
    text = _BUILTINS.sub(lambda match: match[1] or "builtins", text)
    text = _STACK.sub("(kept across a graph break)", text)
    text = _MODULE_DICT.sub(_item, text)
    for _ in range(text.count("getattr(")):
        text = _GETATTR.sub(r"\1.\2", text, count=1)
    text = _CELL.sub(r"'s closure variable \2", text)
    text = _SIZE.sub(r".\1(\2)", text)
    return text.replace(".__dict__", "")


def without_class_dicts(source: str) -> str:
    """``x.width`` for ``dict(type(x).__mro__[1].__dict__)['width']`` and ``x.__dict__['width']``.

    Torch 2.13 reaches modules by ``self.__dict__['_modules']['up']`` in some guards.
    """
    for _ in range(source.count("dict(type(")):
        source = _CLASS_DICT.sub(r"\g<owner>.\g<name>", source, count=1)
    return _OWN_DICT.sub(r".\2", source)


def _item(match: re.Match[str]) -> str:
    """``layers`` of a module is ``.layers``, and ``3`` of a list is ``[3]``."""
    name = match[1]
    if name.isdecimal():
        return f"[{name}]"
    return f".{name}" if name.isidentifier() else f"[{name!r}]"
