"""Graphs that were compiled because no cache had them: for services that start warm."""

from collections.abc import Iterator

from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.run import Run
from inspector.shared.stack import StackFrame
from inspector.trace.caches import CacheLookup, CacheState

_GRAPHS = "FX graph"


class CacheMissRule(Rule[Run, Finding]):
    """A graph was compiled because it was not in the FX graph cache."""

    id = "cache-miss"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per code object."""
        for process in run.processes:
            places = {
                (time.compile_id, time.occurrence): StackFrame(
                    time.file, time.first_line, time.name
                )
                for time in process.compile_times
                if time.file
            }
            found: dict[StackFrame | None, list[CacheLookup]] = {}
            for item in process.lookups:
                if item.cache == _GRAPHS and item.state is CacheState.MISS:
                    place = places.get((item.compile_id, item.occurrence))
                    found.setdefault(place, []).append(item)
            for place, items in found.items():
                took_ns = sum(item.time_taken_ns or 0 for item in items)
                took = f": {duration(took_ns)} to compile" if took_ns else ""
                yield Finding(
                    **self.at(run, place, "" if place else items[0].compile_id),
                    message=f"{count(len(items), 'graph')} of "
                    f"{place.name if place else items[0].compile_id} not in the FX graph cache"
                    + took,
                    why=f"No cache entry has the key {items[0].key or 'of the graph'}.",
                    fix="Run `inspect cold-start NOW --against BEFORE` to see which part of the "
                    "key has changed since the cache was filled.",
                    records=len(items),
                    evidence="fx_graph_cache_miss",
                )


RULE = CacheMissRule()
