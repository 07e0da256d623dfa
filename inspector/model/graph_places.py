"""Where the graphs of a process lie, until somebody asks for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.payload import Payload


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPlace:
    """One graph of one stage.

    Attributes:
        stage: ``dynamo``, ``pre_grad``, ``joint``, ``forward``, ``backward``, ``inference``,
            ``prims``, ``post_grad`` or ``fusion``.
        recorded: Where its nodes are as data, or None: no plain trace has them.
    """

    compile_id: str
    stage: str
    recorded: Payload | None = None
    text: Payload | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPlaces:
    """All graphs of a process.

    Attributes:
        places: In the order in which torch made them.
        hints: Values of symbolic sizes when they were compiled, by compilation (as text).
    """

    places: tuple[GraphPlace, ...] = ()
    hints: Mapping[str, Mapping[str, int]] = dataclasses.field(default_factory=dict)
