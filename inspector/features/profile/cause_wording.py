"""What is done while the device waits, in words."""

from __future__ import annotations

CAUSES = {
    "launching": "kernel launch overhead",
    "wrappers": "torch around graphs",
    "guards": "guards",
    "graph-break": "Python between graphs",
    "synchronisation": "host waiting for the GPU",
    "autograd": "autograd",
    "loss": "loss of --train",
    "outside": "outside of compiled code",
    "launch-latency": "launch latency",
    "tail": "Python after the last kernel",
    "end": "return to the host",
    "unknown": "unknown",
}
COPIED = "copies from or to the host"
WORK_ON_CPU = "statements and operators"
OUTSIDE = "outside of statements and operators"
_ON_CPU = {
    **CAUSES,
    "launching": "generated code between statements",
    "synchronisation": "waiting",
    "unknown": OUTSIDE,
}


def cause_name(name: str, *, is_cpu: bool) -> str:
    """What the host does, in the words of the bar."""
    return (_ON_CPU if is_cpu else CAUSES).get(name, name)
