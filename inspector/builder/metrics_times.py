"""Compile time out of metrics, for logs of torch 2.4, which have no spans.

Of backward graphs that torch logs no time.
"""

from __future__ import annotations

from inspector.builder.spans import Spans
from inspector.events.dynamo import CompilationMetrics
from inspector.events.timing import ChromiumEvent


class MetricsTimes:
    """Takes the metrics of one process, and makes of each the spans that newer logs have.

    Of the parts only the lengths are known: each is put at the beginning of what it is part of.

    Attributes:
        spans: The spans.
    """

    def __init__(self) -> None:
        self.spans = Spans()

    def add(self, compile_id: str, metrics: CompilationMetrics) -> None:
        """Takes the metrics of a compilation."""
        phases = [
            ("dynamo", metrics.duration_ns),
            ("backend_compile", metrics.backend_ns),
            ("inductor_compile", metrics.inductor_ns),
            ("code_gen", metrics.code_generation_ns),
        ]
        known = [(name, time_ns) for name, time_ns in phases if time_ns]
        begin_ns = metrics.start_time_ns or 0
        for name, _ in known:
            self.spans.add(ChromiumEvent(name, "B", begin_ns, 0, compile_id))
        for name, time_ns in reversed(known):
            self.spans.add(ChromiumEvent(name, "E", begin_ns + time_ns, 0, compile_id))
