"""``inspector_late_hook``: a hook on a module that is compiled already."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope, RawFrame
from inspector.events.fields import natural


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorLateHook:
    """``inspector_late_hook``: a hook was registered, or its module was compiled after that.

    Attributes:
        number: Of the registration, from 0.
        is_compiled: Whether its module has been compiled since, with the hook.
        hook: ``forward hook``, ``forward pre-hook``, ``backward hook`` or ``backward pre-hook``.
        module_class: The module's class.
        stack: The user's frames that registered it, outermost first.
    """

    number: int
    is_compiled: bool
    hook: str
    module_class: str
    stack: tuple[RawFrame, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            number=natural(payload.get("number")) or 0,
            is_compiled=payload.get("compiled") is True,
            hook=str(payload.get("hook", "")),
            module_class=str(payload.get("class", "")),
            stack=envelope.frames(payload.get("stack")),
        )
