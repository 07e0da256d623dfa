"""Where a process runs, what it reads, and how its recording ends."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc


@artifact("environment")
class Environment(Record):
    """Where the program runs."""

    versions: Mapping[str, str] = doc("versions by package")
    hardware: Mapping[str, object] = doc("cores, memory_bytes, gpus, …")
    roots: Mapping[str, object] = doc(
        "folders by kind: project, torch, stdlib, own, and site (a list)"
    )
    host: str = doc("machine name, stable within a job")
    rank: int | None = doc("rank set by the launcher", default=None)
    parent_pid: int | None = None
    time_ns: int | None = doc("start time of the log, in UTC", default=None)


@artifact("source")
class SourceText(Record):
    """A part of a source file, so that a report reads the same elsewhere."""

    file: str
    first_line: int = doc("number of the first line", default=1)
    lines: tuple[str, ...] = doc("lines without line endings", default=())
    whole: bool = doc("whether this is the whole file", default=False)
    sha256: str = doc("SHA-256 hash of the whole file; empty for code without a file", default="")


@artifact("problem")
class Problem(Record):
    """Something of ours failed inside the recorded process."""

    where: str = doc("torch-inspector hook that failed")
    error: str


@artifact("end")
class End(Record):
    """The process came to its end in order, or the recording of it did."""


@artifact("dropped", version=3)
class Dropped(Record):
    """Details dropped by a process to limit the size of its logs."""

    max_bytes: int
    without_details: int = doc("number of compilations whose details were dropped")
    compile_time_ns: int = doc("compile time of these compilations")
