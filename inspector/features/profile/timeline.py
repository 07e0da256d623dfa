"""A call as a file that https://ui.perfetto.dev and chrome://tracing open.

The format is Chrome's: "Trace Event Format" of the Catapult project, JSON object format, complete
events (``X``) and metadata (``M``). It has one call, in which the host was watched, too.
"""

from collections.abc import Iterable, Iterator

import orjson

from inspector.records.device_profile import DeviceProfile, HostSpan
from inspector.version import __version__

_US_NS = 1000
_HOST, _DEVICE = 1, 2


def timeline(profile: DeviceProfile, title: str) -> bytes:
    """The file's content; without a device, or in old recordings, it has no events."""
    events = [
        _metadata("process_name", _HOST, "host"),
        _metadata("process_name", _DEVICE, str(profile.device.get("name") or "device")),
        *_names(profile.host, _HOST, "thread"),
        *_names(profile.worked, _DEVICE, "stream"),
        *_events(profile.host, _HOST),
        *_events(profile.worked, _DEVICE),
    ]
    fields = {
        "displayTimeUnit": "ns",
        "otherData": {"exporter": f"torch-inspector {__version__}", "target": title},
        "traceEvents": events,
    }
    return orjson.dumps(fields)


def _events(spans: Iterable[HostSpan], process: int) -> Iterator[dict[str, object]]:
    for span in spans:
        yield {
            "ph": "X",
            "name": span.name,
            "pid": process,
            "tid": span.thread,
            "ts": span.start_ns / _US_NS,
            "dur": (span.end_ns - span.start_ns) / _US_NS,
        }


def _names(spans: Iterable[HostSpan], process: int, what: str) -> Iterator[dict[str, object]]:
    for thread in dict.fromkeys(span.thread for span in spans):
        yield _metadata("thread_name", process, f"{what} {thread}", thread)


def _metadata(kind: str, process: int, name: str, thread: int = 0) -> dict[str, object]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}
