"""What is done while the device waits, in words."""

from __future__ import annotations

CAUSES = {
    "launching": "host launching kernels",
    "wrappers": "torch around compiled graphs",
    "guards": "guards",
    "graph-break": "Python between graphs",
    "synchronisation": "host waited for the GPU",
    "autograd": "autograd",
    "loss": "the sum that --train adds up",
    "outside": "outside of compiled code",
    "launch-latency": "launched, not begun",
    "tail": "Python after the GPU's last work",
    "end": "GPU done, host not back yet",
    "unknown": "not known why",
}
COPIED = "copying from or to the host"
WORK_ON_CPU = "statements and operators"
OUTSIDE = "outside of statements and operators"
_ON_CPU = {
    **CAUSES,
    "launching": "generated code between its statements",
    "synchronisation": "waiting",
    "unknown": OUTSIDE,
}


def cause_name(name: str, *, is_cpu: bool) -> str:
    """What the host does, in the words of the bar."""
    return (_ON_CPU if is_cpu else CAUSES).get(name, name)
