"""A call as a file that https://ui.perfetto.dev and chrome://tracing open.

The format is Chrome's: "Trace Event Format" of the Catapult project, JSON object format, complete
events (``X``) and metadata (``M``). It has one call, in which the host was watched, too.
"""

import orjson

from inspector.records.device_profile import DeviceProfile
from inspector.version import __version__

_US_NS = 1000


def timeline(profile: DeviceProfile, target: str) -> bytes:
    """The file's content: what the host did, and what the device did."""
    device = str(profile.device.get("name") or "device")
    events: list[dict[str, object]] = []
    for process, name, what, spans in (
        (1, "host", "thread", profile.host),
        (2, device, "stream", profile.worked),
    ):
        threads = dict.fromkeys(span.thread for span in spans)
        events.append(_metadata("process_name", process, name))
        events += [_metadata("thread_name", process, f"{what} {tid}", tid) for tid in threads]
        events += [
            {
                "ph": "X",
                "name": span.name,
                "pid": process,
                "tid": span.thread,
                "ts": span.start_ns / _US_NS,
                "dur": (span.end_ns - span.start_ns) / _US_NS,
            }
            for span in spans
        ]
    about = {"exporter": f"torch-inspector {__version__}", "target": target}
    return orjson.dumps({"displayTimeUnit": "ns", "otherData": about, "traceEvents": events})


def _metadata(kind: str, process: int, name: str, thread: int = 0) -> dict[str, object]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}
