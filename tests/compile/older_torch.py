"""Records small programs under plain ``TORCH_TRACE``, and counts with torch what happened.

Run it with the Python of an environment that has the torch in question; nothing else is needed::

    python tests/compile/older_torch.py tests/unit/data/older_torch

It writes ``VERSION.log.gz``, and ``VERSION.json`` with what torch itself counted in that process:
graph breaks and recompilations out of its loggers, graphs and calls out of the backend, code and
guards out of its cache, times out of its metrics. tests/unit/run/folding/test_older_torch.py
compares what we read with it.
"""

from __future__ import annotations

import collections
import gzip
import hashlib
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

_HERE = pathlib.Path(__file__).resolve()


def printing(x: Any) -> Any:
    y = x.sin() + 1
    print("y", end="", file=sys.stderr)
    return y.cos() * 2


def printing_thrice(x: Any) -> Any:
    x = x + 1
    print("a", end="", file=sys.stderr)
    x = x.sin()
    print("b", end="", file=sys.stderr)
    x = x.cos()
    print("c", end="", file=sys.stderr)
    return x + 2


def calling(x: Any) -> Any:
    y = x.sin()
    y = _helper(y)
    return y.exp()


def _helper(y: Any) -> Any:
    y = y * 3
    print("h", end="", file=sys.stderr)
    return y.cos()


def looping(x: Any) -> Any:
    for _ in range(2):
        x = x.sin()
        print("l", end="", file=sys.stderr)
    return x.cos()


def branching(x: Any) -> Any:
    y = x.sin()
    if y.sum() > 0:
        return y.cos()
    return y.tan()


def reading_item(x: Any) -> Any:
    y = x.sin()
    number = y.sum().item()
    return y * number + 1


def other_sizes(x: Any) -> Any:
    return x.relu().sum(0)


def other_types(x: Any) -> Any:
    return x * 2


def at_the_limit(x: Any, name: str) -> Any:
    return x + 1 if name == "0" else x - 1


def guarded(x: Any, settings: dict[str, Any], pair: tuple[int, None], flag: Any) -> Any:
    y = x * settings["scale"] + pair[0]
    return y.relu() if flag and settings["names"][1] == "b" and pair[1] is None else y


def nothing_to_compile(number: int) -> int:
    return number + 1


def forbidden(x: Any) -> Any:
    y = x.sin()
    print("y", end="", file=sys.stderr)
    return y.cos()


def _layers(torch: Any) -> Any:
    class Layers(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.rate = torch.nn.Linear(4, 4), 0.5

        def forward(self, x: Any) -> Any:
            return self.first(x).relu() * self.rate

    return Layers()


def _programs(torch: Any) -> Iterator[tuple[Any, list[tuple[Any, ...]], bool]]:
    """Function or module, the arguments of its calls, and whether it may not break."""
    one = [(torch.ones(4),)]
    for function in (printing, printing_thrice, calling, looping, branching, reading_item):
        yield function, one, False
    yield other_sizes, [(torch.ones(size, 4),) for size in (3, 5, 7, 1, 9)], False
    yield (
        other_types,
        [(torch.ones(4, dtype=item),) for item in (torch.float32, torch.int32)],
        False,
    )
    # The last call is one that a kept version fits.
    yield at_the_limit, [(torch.ones(2), str(number)) for number in (*range(11), 1)], False
    settings = {"scale": 2.0, "names": ["a", "b"]}
    yield guarded, [(torch.ones(2, 3), settings, (1, None), True)] * 2, False
    yield _layers(torch), one * 2, False
    yield nothing_to_compile, [(3,)], False
    yield forbidden, one, True


class _Counted(logging.Handler):
    """What torch's loggers say, by the program that is at work."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.said: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append((record.name.rpartition(".__")[2], record.getMessage()))


def _record(out: pathlib.Path) -> None:
    """Runs the programs in this process, whose ``TORCH_TRACE`` is set."""
    import torch
    import torch._dynamo.testing

    torch._logging.set_logs(graph_breaks=True, recompiles=True)
    handler = _Counted()
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("torch._dynamo") and name.endswith(("__graph_breaks", "__recompiles")):
            logging.getLogger(name).addHandler(handler)
    found = {}
    for program, calls, whole in _programs(torch):
        name = getattr(program, "__name__", type(program).__name__)
        handler.said.clear()
        found[name] = _run(torch, program, calls, handler, whole=whole)
    version = torch.__version__.partition("+")[0]
    out.joinpath(f"{version}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(version)


def _run(
    torch: Any, program: Any, calls: list[tuple[Any, ...]], handler: _Counted, *, whole: bool
) -> dict[str, Any]:
    counter = torch._dynamo.testing.CompileCounter()
    ran: list[int] = []
    ended: list[int] = []

    def backend(graph: Any, inputs: Any) -> Callable[..., Any]:
        counter(graph, inputs)
        reason = getattr(graph, "compile_subgraph_reason", None)
        if reason and reason.graph_break:
            ended.append(reason.user_stack[-1].lineno)
        return lambda *values: (ran.append(1), graph(*values))[1]

    before = len(torch._dynamo.utils.get_compilation_metrics())
    compiled = torch.compile(program, backend=backend, fullgraph=whole)
    error = None
    for call in calls:
        try:
            compiled(*call)
        except torch._dynamo.exc.Unsupported as refused:
            error = type(refused).__name__
    metrics = torch._dynamo.utils.get_compilation_metrics()[before:]
    said = collections.Counter(kind for kind, _ in handler.said)
    breaks = [_line(text) for kind, text in handler.said if kind == "graph_breaks"]
    return {
        "calls": len(calls),
        "graph_break_lines": sorted(ended),
        "graph_breaks_logged": sorted(breaks),
        "recompile_messages": said["recompiles"],
        "graphs": counter.frame_count,
        "operators": counter.op_count,
        "graphs_run": len(ran),
        "versions": len(_entries(torch, program)),
        "guards": [_leaves(entry) for entry in _entries(torch, program)],
        "guard_counts": [item.guard_count for item in metrics],
        "compile_ids": [str(getattr(item, "compile_id", "")) for item in metrics],
        "compile_s": [item.entire_frame_compile_time_s for item in metrics],
        "restart_reasons": sorted(text for item in metrics for text in item.restart_reasons or ()),
        "error": error,
    }  # fmt: skip


def _line(graph_break: str) -> int:
    """The line of a graph break: its header has it, or the innermost frame of the user's stack."""
    stack = graph_break.partition("Traceback (most recent call last)")[0]
    header = re.findall(r"in user code at .*:(\d+)", graph_break)
    return int((header or re.findall(r'File ".*older_torch.py", line (\d+)', stack))[-1])


def _entries(torch: Any, program: Any) -> list[Any]:
    """What the cache of the program's own code object holds."""
    function = program.forward if isinstance(program, torch.nn.Module) else program
    code = getattr(function, "__code__", None)
    return torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code)


def _leaves(entry: Any) -> int:
    """How many guards the tree of a cache entry has, as far as torch prints them."""
    holder = getattr(entry, "guard_manager", None) or entry.check_fn
    root = getattr(holder, "root", None) or holder.guard_manager.root
    # Torch 2.4 and 2.6 have one without a text for relations of sizes, where there are none.
    epilogue = [guard for guard in root.get_epilogue_lambda_guards() if guard.verbose_code_parts()]
    return _below(root) + len(epilogue)


def _below(manager: Any) -> int:
    inner = list(manager.get_child_managers())
    if hasattr(manager, "get_key_value_managers"):
        pairs = manager.get_key_value_managers().values()
        inner += [item for pair in pairs for item in pair if item is not None]
    return len(manager.get_leaf_guards()) + sum(map(_below, inner))


def main() -> None:
    """Records in a process of its own, which torch's log needs from its first import on."""
    if "TORCH_TRACE" in os.environ:
        _record(pathlib.Path(sys.argv[1]))
        return
    out = pathlib.Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TORCH_TRACE": folder}
        command = [sys.executable, _HERE.name, str(out)]
        done = subprocess.run(
            command,
            cwd=_HERE.parent,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        logs = list(pathlib.Path(folder).glob("*.log"))
        assert len(logs) == 1, logs
        text = logs[0].read_text("utf-8")
        version = done.stdout.split()[-1]
        log = "".join(map(_small, re.split(r"^(?=[VIWEC]\d{4} )", text, flags=re.MULTILINE)))
        packed = gzip.compress(log.encode(), mtime=0)
        out.joinpath(f"{version}.log.gz").write_bytes(packed)


def _small(record: str) -> str:
    """A record without this machine's folders and without Inductor's settings (26 KB each)."""
    # Guards name files without what they share with torch's folder.
    record = re.sub(r"[\w./-]*tests/compile/older_torch\.py", "/programs/older_torch.py", record)
    record = re.sub(r"[\w./-]+/site-packages/torch/", "/environment/torch/", record)
    record = record.replace(sys.prefix, "/environment")
    record = re.sub(r'"(?:inductor|functorch)_config": "(?:[^"\\]|\\.)*", ', "", record)
    payload = re.sub(r"^\t", "", record.partition("\n")[2], flags=re.MULTILINE).removesuffix("\n")
    checksum = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
    return re.sub(r'("has_payload": ")\w{32}"', rf'\g<1>{checksum}"', record, count=1)


if __name__ == "__main__":
    main()
