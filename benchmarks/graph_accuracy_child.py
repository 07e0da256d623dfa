"""One program of graph_accuracy.py: what is live goes into a file, what is recorded into a folder.

    python -m benchmarks.graph_accuracy_child FOLDER REQUEST LIVE

Two watchers that know nothing of the recorder stand in torch before it begins.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from torch import fx
from torch._inductor import scheduler

from inspector.capture.child import main

_printed, _generated = fx.GraphModule.print_readable, scheduler.Scheduler.codegen


def watch() -> dict[str, Any]:
    """Notes each graph that is printed, and each scheduler's nodes with their bytes, from now on.

    Returns:
        ``graphs``: by their text the name, the operation and the inputs of each node;
        ``schedulers``: the operations, the bytes of each buffer and all bytes of each node.
    """
    live: dict[str, Any] = {"graphs": {}, "schedulers": []}

    def print_readable(self: Any, *args: Any, **options: Any) -> str:
        text = str(_printed(self, *args, **options))
        live["graphs"][text] = [
            [node.name, node.op, [other.name for other in node.all_input_nodes]]
            for node in self.graph.nodes
        ]
        return text

    def codegen(self: Any) -> Any:
        live["schedulers"].append([_sizes(node) for node in self.nodes])
        return _generated(self)

    fx.GraphModule.print_readable, scheduler.Scheduler.codegen = print_readable, codegen
    return live


def _sizes(node: Any) -> list[object]:
    sizes = node.get_read_write_buffer_accesses(include_reads=True, include_writes=True)
    return [
        [inner.get_name() for inner in node.get_nodes()],
        {str(name): int(size) for name, size in sizes.items()},
        int(node.get_read_write_buffers_sizes()),
    ]


if __name__ == "__main__":
    folder, request, place = sys.argv[1:]
    seen = watch()
    code = main([folder, "explain", request])
    Path(place).write_text(json.dumps(seen), encoding="utf-8")
    sys.exit(code)
