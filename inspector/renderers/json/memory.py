"""The memory of a call, as JSON; the schema is docs/schema/profile-1.schema.json."""

from __future__ import annotations

from inspector.profiles.memory import CallMemory, MemoryUse, PeakTensor
from inspector.profiles.memory_advice import memory_advice
from inspector.renderers.json.lines import line_fields


def memory_fields(use: MemoryUse) -> dict[str, object]:
    """The fields of a call's memory."""
    return {
        "ratio": use.ratio,
        "compiled": _call(use.compiled),
        "eager": None if use.eager is None else _call(use.eager),
        "cuda_graphs_reserved_bytes": use.pool_reserved_bytes,
        "other_devices": use.other_devices,
        "savings": [
            {"at_most_bytes": item.bytes_, "because": item.what, "change": item.change}
            for item in memory_advice(use)
        ],
    }


def _call(call: CallMemory) -> dict[str, object]:
    found = call.fragmentation
    return {
        "peak_bytes": call.peak_bytes,
        "peak_known": call.is_whole,
        "before_bytes": call.base_bytes,
        "added_bytes": call.added_bytes,
        "cuda_graphs_bytes": call.pool_bytes,
        "not_counted_bytes": call.outside_bytes,
        "not_seen_bytes": call.unseen_bytes,
        "reserved_bytes": call.reserved_bytes,
        "fragmentation": None if found is None else {
            "reserved_bytes": found.reserved_bytes,
            "allocated_bytes": found.allocated_bytes,
            "free_bytes": found.free_bytes,
            "largest_free_bytes": found.largest_free_bytes,
            "split_bytes": found.split_bytes,
        },
        "retries": call.retries,
        "out_of_memory": call.ooms,
        "error": call.failed or None,
        "events_left_out": call.cut,
        "at_peak": [_tensor(row) for row in call.tensors],
    }  # fmt: skip


def _tensor(row: PeakTensor) -> dict[str, object]:
    return {
        "what": row.what,
        "name": row.name or None,
        "count": row.number,
        "bytes": row.bytes_,
        "shape": list(row.shape) if row.dtype or row.shape else None,
        "dtype": row.dtype or None,
        "cuda_graph": row.in_pool,
        "lines": line_fields(row.lines),
    }
