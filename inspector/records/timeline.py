"""Warm calls under torch's profiler, and how fast memory is copied."""

from inspector.records.record import Record, SignedInt, artifact, doc, part, row


@row
class Marker:
    """A span that torch marks; all times are from the begin of the profile."""

    kind: str = doc(
        "kind of span: call, lookup, region, bytecode, prologue, function, backward, graph or eager"
    )
    label: int = doc("index into the profile's labels")
    start_ns: int
    end_ns: int
    sequence: SignedInt = doc(
        "autograd sequence number shared by a function and its backward, or -1"
    )


@row
class Activity:
    """What happens between two neighbouring ends or starts of marks."""

    at_ns: int = doc("time of a point within the span")
    operators: int = doc("number of top-level operators", default=0)
    events: int = doc("number of profiler events", default=0)
    operators_ns: int = 0
    wait_ns: int = doc("time the thread spent waiting for the device", default=0)
    device_start_ns: int = doc("start of the launched work on the device, or 0", default=0)
    device_end_ns: int = doc("end of the launched work on the device, or 0", default=0)
    device_busy_ns: int = 0


@part
class MarkedThread:
    """A thread on which something was marked."""

    thread: int = doc("profiler's id of the thread")
    markers: tuple[Marker, ...] = doc("spans sorted by start time, outer spans first")
    activities: tuple[Activity, ...] = doc("activities sorted by time")


@artifact("profile")
class CallProfile(Record):
    """Torch's own markers in warm calls."""

    input: int | None = doc(
        "index of the input, or None if the program's own calls were profiled", default=None
    )
    compiled: tuple[int, ...] = doc("indices of calls that compiled something, from 0", default=())
    with_device: bool = doc(
        "whether device activity was recorded, which slows the host", default=False
    )
    plain_ns: int | None = doc("median time of a warm call without the profiler", default=None)
    mark_ns: int = doc("overhead of one marker under the profiler", default=0)
    plain_times_ns: tuple[int, ...] = ()
    labels: tuple[str, ...] = doc(
        "labels: compile ids of regions, keys of graphs, names", default=()
    )
    threads: tuple[MarkedThread, ...] = ()


@part
class CopyRate:
    """How fast a tensor is copied."""

    size_bytes: int
    bytes_per_second: float = doc("bytes read and written per second")


@artifact("copy_rates")
class CopyRates(Record):
    """How fast memory is copied on the device that was used."""

    device: str = doc("type of the device")
    rates: tuple[CopyRate, ...] = doc("copy rates by size")

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
