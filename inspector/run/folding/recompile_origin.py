"""Where what a failed guard looks at comes from."""

from __future__ import annotations

import re

from inspector.run.folding.recompile_class import Context
from inspector.run.recompile import Origin, RecompileClass
from inspector.trace.guard_source import without_class_dicts

_C = RecompileClass
_STATE = frozenset(
    [_C.GRAD_MODE, _C.AUTOCAST, _C.DEFAULT_DTYPE, _C.DETERMINISTIC, _C.NUM_THREADS,
     _C.FUNCTION_MODE, _C.GLOBAL_STATE, _C.DEFAULT_DEVICE, _C.BACKEND]
)  # fmt: skip
_WRAPPERS = re.compile(r"^(?:list\(dict\.keys\(|___from_numpy\(|len\()+")
_BASE = re.compile(r"^[^.\[(]+")
_SIZE = re.compile(r"\.(?:size|stride)\(\)\[\d+\]$|\.storage_offset\(\)$")
_LAST = re.compile(r"\.\w+(?:\[[^\]]*\])*$")
_MODULE_DICTS = re.compile(r"\._(?:modules|parameters|buffers)\b")
_MODULE_PARTS = ("_modules", "_parameters", "_buffers", "training")


def origin_of(context: Context, source: str, kind: RecompileClass) -> Origin:
    """Where what changed comes from; a plain trace does not tell arguments from closures."""
    name = _SIZE.sub("", _WRAPPERS.sub("", without_class_dicts(context.guard.source)))
    seen = context.seen
    if kind in _STATE:
        return Origin.STATE
    if source.startswith("G[") or name.startswith("G["):
        return Origin.GLOBAL
    base = _BASE.match(name)
    if base is None:
        return Origin.UNKNOWN
    if ".__closure__" in name or (seen and base[0] in seen.free and "." not in name):
        return Origin.CLOSURE
    if _LAST.search(name):
        return Origin.MODULE_ATTRIBUTE if _is_of_module(context, name) else Origin.ATTRIBUTE
    return Origin.ARGUMENT if seen else Origin.UNKNOWN


def _is_of_module(context: Context, name: str) -> bool:
    """Whether the last attribute of a source is one of an ``nn.Module``."""
    if "nn.Module" in context.failed.hint or _MODULE_DICTS.search(name):
        return True
    owner = _LAST.sub("", name)
    if name.endswith(".training") or (context.seen and owner in context.seen.modules):
        return True
    types = context.before.types
    parts = tuple(f"{owner}.{part}" for part in _MODULE_PARTS)
    if any(known.startswith(parts) for known in types):
        return True
    return types.get(owner, "").startswith("<class 'torch.nn.modules.")
