"""Our artifact of `inspect profile` on a CPU: calls whose memory the allocator keeps."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.device_profile import TimedBlock, timed_blocks
from inspector.events.envelope import Envelope
from inspector.events.fields import natural, naturals


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorKeptMemory:
    """``inspector_kept_memory``: calls with an input, once the allocator was told to keep memory.

    Attributes:
        input: Number of the input, from 0.
        blocks: The plain and the eager calls as they were made, in order.
        page_faults: Of some plain calls, pages of memory that they were the first to touch.
        eager_page_faults: The same of calls without the compiler.
        mapped_faults: Pages of a plain call that were still new when what lies on top of the heap
            was kept, and large blocks were not; None where that is not known.
        eager_mapped_faults: The same of a call without the compiler.
    """

    input: int
    blocks: tuple[TimedBlock, ...]
    page_faults: tuple[int, ...] = ()
    eager_page_faults: tuple[int, ...] = ()
    mapped_faults: int | None = None
    eager_mapped_faults: int | None = None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload."""
        fields = envelope.json_object()
        times_ns = {kind: naturals(fields.get(f"{kind}_ns")) for kind in ("plain", "eager")}
        return cls(
            input=natural(fields.get("input")) or 0,
            blocks=tuple(timed_blocks(fields.get("blocks"), times_ns)),
            page_faults=naturals(fields.get("page_faults")),
            eager_page_faults=naturals(fields.get("eager_page_faults")),
            mapped_faults=natural(fields.get("mapped_faults")),
            eager_mapped_faults=natural(fields.get("eager_mapped_faults")),
        )
