"""Warm calls under torch's profiler, and how fast memory is copied."""

from inspector.records.record import Record, SignedInt, artifact, doc, part, row


@row
class Marker:
    """A span that torch marks; all times are from the begin of the profile."""

    kind: str = doc("call, lookup, region, bytecode, prologue, function, backward, graph or eager")
    label: int = doc("place among the profile's labels")
    start_ns: int
    end_ns: int
    sequence: SignedInt = doc("autograd's, which a function and its backward share, or -1")


@row
class Activity:
    """What happens between two neighbouring ends or starts of marks."""

    at_ns: int = doc("a time within the span")
    operators: int = doc("top-level operators", default=0)
    events: int = doc("of the profile", default=0)
    operators_ns: int = 0
    wait_ns: int = doc("the thread waited for the device", default=0)
    device_start_ns: int = doc("device start of the launched work, or 0", default=0)
    device_end_ns: int = doc("device end of the launched work, or 0", default=0)
    device_busy_ns: int = 0


@part
class MarkedThread:
    """A thread on which something was marked."""

    thread: int = doc("the profiler's id")
    markers: tuple[Marker, ...] = doc("by start, the outer ones first")
    activities: tuple[Activity, ...] = doc("by time")


@artifact("profile")
class CallProfile(Record):
    """Torch's own markers in warm calls."""

    input: int | None = doc("None if the program's own calls were profiled", default=None)
    compiled: tuple[int, ...] = doc("calls, from 0, in which something was compiled", default=())
    with_device: bool = doc("which slows the host down", default=False)
    plain_ns: int | None = doc("median of a warm call without the profiler", default=None)
    mark_ns: int = doc("cost of one mark under the profiler", default=0)
    plain_times_ns: tuple[int, ...] = ()
    labels: tuple[str, ...] = doc("compile ids of regions, keys of graphs, names", default=())
    threads: tuple[MarkedThread, ...] = ()


@part
class CopyRate:
    """How fast a tensor is copied."""

    size_bytes: int
    bytes_per_second: float = doc("read and written")


@artifact("copy_rates")
class CopyRates(Record):
    """How fast memory is copied on the device that was used."""

    device: str = doc("its type")
    rates: tuple[CopyRate, ...] = doc("by size")

    def time_ns(self, size_bytes: int) -> int | None:
        """Time to write so many bytes and to read them again.

        At the rate of the nearest size, or of a larger one where that is faster: the copy of a
        small tensor on a GPU is its launch.
        """
        if not self.rates:
            return None
        distances = [abs(item.size_bytes - size_bytes) for item in self.rates]
        nearest = distances.index(min(distances))
        rate = max(item.bytes_per_second for item in self.rates[nearest:])
        return round(2 * size_bytes / rate * 1e9) if rate > 0 else None
