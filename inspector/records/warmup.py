"""What the process of one start finds out (`inspect bench --warmup`)."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc


@artifact("warmup")
class Warmup(Record):
    """A part of what it found out."""

    what: str = doc("loaded (the model is there), artifact (it was loaded) or first (a first call)")
    start: str = doc("eager, cold, directory or artifact")
    input: int = 0
    inputs: str = doc("shapes", default="")
    time_ns: int = doc("from the process's begin; loading the artifact; the first call", default=0)
    compiled: int = doc("frames that the first call compiled, or tried to", default=0)
    parts: Mapping[str, int] = doc("entries of the artifact by cache", default_factory=dict)
    size_bytes: int = doc("of the artifact", default=0)
    failure: str = doc("why it was not loaded", default="")
    threads: int = doc("that an operator of the CPU may use", default=0)
    device: str = ""
