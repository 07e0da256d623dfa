"""The bytes that a C++ kernel reads and writes, as Inductor counts them."""

from __future__ import annotations

from typing import Any


def traffic_bytes(nodes: list[Any]) -> int | None:
    """Bytes of the buffers that a kernel's nodes read and write, each buffer once each way.

    ``get_read_write_buffer_accesses`` of torch/_inductor/scheduler.py (2.11 to 2.13) counts for
    one node what its indices reach. What one node of the kernel writes and another reads stays in
    registers or in a cache; what Inductor removed is written nowhere.

    Args:
        nodes: Scheduler nodes; asked while their graph is being generated.
    """
    from torch._inductor.virtualized import V

    reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    for node in nodes:
        if not hasattr(node, "get_read_write_buffer_accesses"):
            return None
        for found, is_read in ((reads, True), (writes, False)):
            accesses = node.get_read_write_buffer_accesses(
                include_reads=is_read, include_writes=not is_read
            )
            for name, size in accesses.items():
                found[name] = max(found.get(name, 0), int(size))
    removed = V.graph.removed_buffers
    read = sum(size for name, size in reads.items() if name not in writes)
    return read + sum(size for name, size in writes.items() if name not in removed)
