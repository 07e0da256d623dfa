"""How often Dynamo has compiled something in this process."""

from __future__ import annotations

from torch._dynamo import convert_frame


def compilations() -> int:
    """How many compilations were begun since the last reset.

    What Dynamo calls frames in its counters are looks at frames, too, in which it finds that there
    is nothing to compile: a function that ``torch.compiler.disable(recursive=False)`` leaves out is
    looked at in every call (torch/_dynamo/convert_frame.py, 2.11 to 2.13).
    """
    return sum(convert_frame.FRAME_COMPILE_COUNTER.values())
