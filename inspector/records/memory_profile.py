"""What a call allocates."""

from collections.abc import Mapping

from inspector.records.device_profile import LaunchPlace
from inspector.records.record import Record, SignedInt, artifact, doc, part, row

_WHATS = ("", "parameter", "buffer", "gradient", "optimizer", "input", "program", "kept")


@row
class MemoryEvent:
    """Memory that is allocated or freed."""

    address: int
    bytes_: SignedInt = doc("size of the allocation, negative if freed")
    place: SignedInt = doc("index of the place that allocated it, or -1", default=-1)
    reserved: int = doc("bytes reserved by the allocator at that time, or 0", default=0)


@row
class HeldBlock:
    """Memory that is allocated before the call."""

    address: int
    bytes_: int
    what: str = doc(
        "use of the block; `kept` is memory held by torch-inspector", choices=_WHATS, default=""
    )


@row
class Segment:
    """Memory that the allocator has of the device in one piece."""

    address: int
    bytes_: int
    is_pool: bool = doc("whether it belongs to a CUDA graph pool", default=False)


@row
class KnownTensor:
    """A tensor that the call allocated and that is there after it."""

    address: int
    what: str = doc("use of the tensor, as for a block", choices=_WHATS, default="")
    name: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""


@part
class MemorySide:
    """One call."""

    events: tuple[MemoryEvent, ...] = doc("in order", default=())
    cut: int = doc("number of omitted events", default=0)
    places: tuple[LaunchPlace, ...] = doc("allocating places", default=())
    left: Mapping[int, KnownTensor] = doc(
        "tensors that remain after the call", by="address", default_factory=dict
    )
    held: tuple[HeldBlock, ...] = doc("blocks allocated before the call", default=())
    segments: tuple[Segment, ...] = doc("segments after the call; empty on the CPU", default=())
    stats: Mapping[str, int] = doc(
        "allocator statistics: allocated_peak, reserved_before, retries, …", default_factory=dict
    )
    failed: str = doc("error message of a failed call", default="")

    def place_of(self, event: MemoryEvent) -> LaunchPlace:
        """Where an event comes from."""
        known = 0 <= event.place < len(self.places)
        return self.places[event.place] if known else LaunchPlace()


@artifact("memory_profile", stays=True)
class MemoryProfile(Record):
    """The memory of a warm call with one input."""

    input: int = 0
    device: str = doc(choices=("cuda", "cpu"), default="cpu")
    other_devices: int = doc("number of GPUs whose tensors were not measured", default=0)
    compiled: MemorySide | None = None
    eager: MemorySide | None = None
    captured: MemorySide | None = doc("memory of the call that captured CUDA graphs", default=None)
