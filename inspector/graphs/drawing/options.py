"""What a picture is asked to show."""

from __future__ import annotations

import dataclasses
import enum


class Collapse(enum.Enum):
    """What becomes one box; the value is its name on the command line."""

    AUTO = "auto"
    NONE = "none"
    MODULE = "module"
    LINE = "line"
    KERNEL = "kernel"


class Colour(enum.Enum):
    """What the colours tell; the value is its name on the command line."""

    DTYPE = "dtype"
    MODULE = "module"
    BYTES = "bytes"
    FLOPS = "flops"


@dataclasses.dataclass(frozen=True, slots=True)
class Drawing:
    """How to draw.

    Attributes:
        collapse: What becomes one box.
        depth: Of ``Collapse.MODULE``, how many names deep a module is one box: 1 makes one of
            ``encoder``, 2 one of ``encoder.layer``'s first item. None lets `most_boxes` decide.
        colour: What the colours of operators tell.
        force: Draw every node, however many there are.
        most_boxes: With more, ``auto`` collapses, and a fusion diagram draws repeated layers once.
        around: Nodes that match this (see `drawing.around`) have a thick border.
    """

    collapse: Collapse = Collapse.AUTO
    depth: int | None = None
    colour: Colour = Colour.DTYPE
    force: bool = False
    most_boxes: int = 80
    around: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Caption:
    """What stands over a picture; empty parts are left out.

    Attributes:
        model: What was compiled: ``bert_base``, ``model.py``.
        stage: The stage, with the compilation: ``0/0 post-grad forward``.
        device: Where it ran: ``NVIDIA H200``, ``cpu``.
        torch_version: As torch says it.
        note: Anything else, such as what part of the graph it is.
    """

    model: str = ""
    stage: str = ""
    device: str = ""
    torch_version: str = ""
    note: str = ""
