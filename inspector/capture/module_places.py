"""Where modules were made: the line of a model whose own code has none.

In a call of ``nn.Sequential(nn.LayerNorm(8), nn.GELU())`` nothing runs but torch's own lines, and
Dynamo gives its nodes no stack. What the user wrote of it is the line that makes each layer.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import sys
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from torch import fx, nn

from inspector.capture.roots import recorded_roots
from inspector.capture.writer import guarded
from inspector.events.printed_stack import printed_frames
from inspector.model.roots import Owner

__all__ = ["module_stack", "noting_modules", "stack_of"]

_WRITTEN = frozenset({Owner.PROJECT, Owner.LIBRARY})

# By ``id``, which is what Dynamo puts into ``nn_module_stack``.
_places: dict[int, _Place] = {}


class _Place:
    """Where a module was made; nothing is kept alive by it."""

    def __init__(self, module: nn.Module, frame: FrameType) -> None:
        self._module = weakref.ref(module)
        self._file = frame.f_code.co_filename
        self._line = frame.f_lineno
        self._function = frame.f_code.co_name

    @property
    def is_there(self) -> bool:
        """Whether the module still is; what is made later can get the same ``id``."""
        return self._module() is not None

    def printed(self) -> str:
        """As torch prints a frame into a node's ``stack_trace``."""
        code = linecache.getline(self._file, self._line).strip()
        return f'  File "{self._file}", line {self._line}, in {self._function}\n    {code}\n'


@contextlib.contextmanager
def noting_modules() -> Iterator[None]:
    """Notes where each module is made meanwhile; afterwards torch is as it was.

    ``nn.Module.__init__`` is replaced: torch's hooks for what is registered do not tell of a layer
    without parameters where it was made. Dynamo traces nothing meanwhile.
    """
    original = nn.Module.__init__

    @functools.wraps(original)
    def noting(self: nn.Module, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        original(self, *args, **kwargs)
        guarded("note where a module is made", lambda: _note(self))

    nn.Module.__init__ = noting
    try:
        yield
    finally:
        nn.Module.__init__ = original


def _note(module: nn.Module) -> None:
    frame = _making_frame(module)
    if frame is not None:
        _places[id(module)] = _Place(module, frame)


def _making_frame(module: nn.Module) -> FrameType | None:
    """The innermost frame of the user's that is not in the ``__init__`` of the module itself."""
    roots = recorded_roots()
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - what `inspect` calls, too
    while frame is not None:
        code = frame.f_code
        is_own = code.co_name == "__init__" and _first_argument(frame) is module
        if not is_own and roots.owner(code.co_filename) in _WRITTEN:
            return frame
        frame = frame.f_back
    return None


def _first_argument(frame: FrameType) -> object:
    names = frame.f_code.co_varnames
    return frame.f_locals.get(names[0]) if names else None


def module_stack(node: fx.Node) -> dict[str, tuple[str, Any]]:
    """The modules that a node is in, outermost first: what Dynamo calls each, and its class."""
    meta = node.meta
    return meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}


def stack_of(node: fx.Node) -> str:
    """A node's ``stack_trace``; without a line of the user's, that which made its module.

    It is the innermost module of which it is known: the layers of an ``nn.TransformerEncoder`` are
    copies that no ``__init__`` made.
    """
    text = str(node.meta.get("stack_trace") or "")
    return text if _has_user(text) else _made(node) + text


@functools.lru_cache(maxsize=4096)  # many nodes have the same
def _has_user(text: str) -> bool:
    roots = recorded_roots()
    return any(roots.is_user(frame.file) for frame in printed_frames(text))


def _made(node: fx.Node) -> str:
    for key in reversed(module_stack(node)):
        number = str(key).partition("@")[0]  # `140123593298320@1` is its second call
        place = _places.get(int(number)) if number.isdigit() else None
        if place is not None and place.is_there:
            return place.printed()
    return ""
