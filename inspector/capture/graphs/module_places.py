"""Where modules were made: the line of a model whose own code has none.

In a call of ``nn.Sequential(nn.LayerNorm(8), nn.GELU())`` nothing runs but torch's own lines, and
Dynamo gives its nodes no stack. What the user wrote of it is the line that makes each layer.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from torch import fx, nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from inspector.capture.frames import callers
from inspector.capture.roots import recorded_roots
from inspector.capture.writer import guarded
from inspector.shared.roots import Owner
from inspector.shared.stack import is_graph_code, making_name
from inspector.trace.printed_stack import printed_frames

_WRITTEN = frozenset({Owner.PROJECT, Owner.LIBRARY})

# By ``id``, which is what Dynamo puts into ``nn_module_stack``.
_places: dict[int, _Place] = {}


class _Place(NamedTuple):
    """Where a module was made; nothing is kept alive by it."""

    module: weakref.ref[nn.Module]
    file: str
    line: int
    name: str


@contextlib.contextmanager
def noting_modules() -> Iterator[None]:
    """Notes where each module is made meanwhile, or put into another, by torch's own hooks.

    A layer with parameters is known by its first, and any other where it is put into another. To
    replace ``nn.Module.__init__`` would tell more, but whatever a program keeps of it, or puts into
    its place, would be ours for good, and Dynamo would trace it.
    """
    hooks = (
        register_module_parameter_registration_hook(_with_parameter),
        register_module_module_registration_hook(_with_module),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _with_parameter(module: nn.Module, _name: str, _parameter: nn.Parameter) -> None:
    guarded("record where a module is created", lambda: _note(module))


def _with_module(module: nn.Module, _name: str, added: nn.Module | None) -> None:
    for each in (module, added):
        if each is not None:
            guarded("record where a module is created", functools.partial(_note, each))


def _note(module: nn.Module) -> None:
    """Notes the innermost frame of the user's that does not make the module from within."""
    if _place_of(module) is not None:
        return  # that is nearer to where it was made
    owner = recorded_roots().owner
    written = (frame for frame in callers() if owner(frame.f_code.co_filename) in _WRITTEN)
    frame = next((frame for frame in written if not _is_within(frame, module)), None)
    if frame is not None:
        code = frame.f_code
        name = making_name(code.co_name, type(module).__name__)
        place = _Place(weakref.ref(module), code.co_filename, frame.f_lineno, name)
        _places[id(module)] = place


def _is_within(frame: FrameType, module: nn.Module) -> bool:
    code = frame.f_code
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_varnames else None
    if code.co_name == "__new__":
        return isinstance(first, type) and isinstance(module, first)
    return code.co_name == "__init__" and first is module


def module_stack(node: fx.Node) -> dict[str, tuple[str, Any]]:
    """The modules that a node is in, outermost first: what Dynamo calls each, and its class."""
    meta = node.meta
    return meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}


def made_at(module: object) -> str:
    """``model.py(7): build (makes Linear)``, or an empty string where that is not known."""
    place = _place_of(module)
    return f"{place.file}({place.line}): {place.name}" if place is not None else ""


def files_within(model: nn.Module) -> set[str]:
    """The files that make a model's modules, as far as they are known."""
    return {place.file for module in model.modules() if (place := _place_of(module)) is not None}


def _place_of(module: object) -> _Place | None:
    place = _places.get(id(module))
    return place if place is not None and place.module() is module else None


def stack_of(node: fx.Node) -> str:
    """A node's ``stack_trace``; without a line of the user's, that which made its module.

    It is the innermost module of which that is known.
    """
    text = _without_graph_code(str(node.meta.get("stack_trace") or ""))
    if _has_user(text):
        return text
    for key in reversed(module_stack(node)):
        number = str(key).partition("@")[0]  # `140123593298320@1` is its second call
        place = _places.get(int(number)) if number.isdigit() else None
        if place is not None and place.module() is not None:
            code = linecache.getline(place.file, place.line).strip()
            return _printed(place.file, place.line, place.name, code) + text
    return text


@functools.lru_cache(maxsize=4096)  # many nodes have the same
def _without_graph_code(text: str) -> str:
    """Without frames of a graph that was captured before: `torch.export`'s program is one."""
    frames = printed_frames(text)
    kept = [frame for frame in frames if not is_graph_code(frame.file)]
    if len(kept) == len(frames):
        return text
    return "".join(_printed(frame.file, frame.line, frame.name, frame.code) for frame in kept)


def _printed(file: str, line: int, name: str, code: str | None) -> str:
    """As torch prints a frame into a node's ``stack_trace``."""
    return f'  File "{file}", line {line}, in {name}\n    {code or ""}\n'


@functools.lru_cache(maxsize=4096)  # as above
def _has_user(text: str) -> bool:
    roots = recorded_roots()
    return any(roots.is_user(frame.file) for frame in printed_frames(text))
