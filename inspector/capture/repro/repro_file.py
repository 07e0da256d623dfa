"""Writes the file that shows a fault alone, and runs it in a fresh process."""

from __future__ import annotations

import inspect
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import fx

from inspector.capture.bench.captured import Part
from inspector.capture.numerics import harness
from inspector.capture.repro.faults import Fault, Subject, python_of
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target

_SECONDS = 600
_MOST_OUTPUT = 2_000
_MOST_LISTED = 4
_FUTURE = "from __future__ import annotations\n"


def checked(fault: Fault, head: str, body: str, needs: Sequence[str], root: str) -> dict[str, Any]:
    """Runs the file in a fresh process; where it shows nothing, with the project's modules.

    Args:
        body: Empty where there is no file to make.
        needs: Modules of the project: one of them may have changed torch.

    Returns:
        The fields of a `Repro` that say what was run and what it showed.
    """
    singles = [(name,) for name in needs] if len(needs) <= _MOST_LISTED else []
    first: dict[str, Any] = {}
    for names in dict.fromkeys(((), *singles, tuple(needs))) if body else ():
        text = head + _imports_of(names, root) + body
        output = _run(text)
        if fault.is_in(output):
            return {"text": text, "needs": names, "is_checked": True}
        first = first or {"text": text, "output": output[-_MOST_OUTPUT:]}
    return first


def _imports_of(names: Sequence[str], root: str) -> str:
    if not names:
        return ""
    lines = [f"import {name}  # noqa: E402,F401 - without it the fault is gone" for name in names]
    return "\n".join(("import sys", "", f"sys.path.insert(0, {root!r})", *lines, ""))


def _run(text: str) -> str:
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        file = Path(folder) / "repro.py"
        file.write_text(text, encoding="utf-8")
        # What records this process is no part of it.
        left_out = ("TORCH_TRACE", "INSPECTOR_RECORD", "INSPECTOR_DIR")
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        try:
            done = subprocess.run(
                [sys.executable, str(file)],
                cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS,
                check=False, errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"timed out after {_SECONDS} s"
    return f"{done.stdout}{done.stderr}"


def graph_text(subject: Subject, part: Part) -> str:
    """The text of the file for a graph, after its head and the imports of the project."""
    names: dict[str, Any] = {}
    for module in part.graph.modules():  # the graph itself, and those that its operators run
        if isinstance(module, fx.GraphModule):
            names |= module.graph.python_code("self").globals
    how = f"no_grad={subject.no_grad}, backward={subject.backward}"
    body = [
        "",
        *_imports(names),
        "",
        "",
        "\n".join(_class("Graph", part.graph)),
        "",
        "",
        *_inputs(subject.inputs_of(part)),
        'if __name__ == "__main__":',
        f"    main(Graph(), inputs, {dict(subject.compile_with)!r}, {how})",
        "",
    ]
    return _joined(body)


def program_text(target: Target, call: Call, compile_with: Mapping[str, Any], how: str) -> str:
    """The same for the whole program, where Dynamo itself is wrong; empty if it has no file."""
    if not target.file:
        return ""
    source = Path(target.file).read_text(encoding="utf-8")
    positional = len(call.args)
    keywords = "".join(f", {name}=given[{positional + at}]" for at, name in enumerate(call.kwargs))
    values = [*call.args, *call.kwargs.values()]
    body = [
        "",
        "import types",
        "",
        f"SOURCE = {_quoted(source)}",
        'module = types.ModuleType("model")',
        'sys.modules["model"] = module',
        'exec(compile(SOURCE, "model.py", "exec"), module.__dict__)',
        f"model = module.{target.entry}",
        "",
        "",
        "def program(*given):",
        f"    return model(*given[:{positional}]{keywords})",
        "",
        "",
        *_inputs(map(python_of, values)),
        'if __name__ == "__main__":',
        f"    main(program, inputs, {compile_with!r}, {how})",
        "",
    ]
    return _joined(body)


def _quoted(source: str) -> str:
    if "'''" in source or "\\" in source:
        return repr(source)
    return f"'''\\\n{source}'''"


def _inputs(texts: Iterable[str]) -> Iterator[str]:
    yield from ("def inputs():", "    torch.manual_seed(0)", "    return [")
    yield from (f"        {text}," for text in texts)
    yield from ("    ]", "", "")


def _joined(body: Sequence[str]) -> str:
    """The harness, without its docstring and its imports of the future, and what calls it."""
    text = inspect.getsource(harness).partition('"""\n\n')[2]
    return f"{text}\n{chr(10).join(body)}"


def head_of(title: str, replays: Sequence[str]) -> str:
    """The beginning of the file: what is wrong, and the commands that show it or avoid it."""
    commands = [f"    {line}" for line in ("python repro.py", *replays)]
    return "\n".join((f'"""{title}', "", *commands, '"""', "", _FUTURE, ""))


def _imports(names: Mapping[str, Any]) -> Iterator[str]:
    """What FX's code refers to by a name of its own."""
    for name, value in names.items():
        if isinstance(value, ModuleType):
            yield f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else "")
        elif isinstance(value, float):
            yield f"{name} = float({'nan' if math.isnan(value) else str(value)!r})"
        elif value is None or isinstance(value, int | str):
            yield f"{name} = {value!r}"
        elif getattr(value, "__module__", None) not in {None, "builtins"}:
            yield f"from {value.__module__} import {value.__qualname__} as {name}"


def _class(name: str, graph: fx.GraphModule) -> Iterator[str]:
    """A graph as a class; those that its higher-order operators run are classes in it."""
    inner = {key: item for key, item in graph.named_children() if isinstance(item, fx.GraphModule)}
    yield f"class {name}(torch.nn.Module):"
    for key, item in inner.items():
        yield from (f"    {line}" for line in _class(key.title().replace("_", ""), item))
        yield ""
    if inner:
        yield "    def __init__(self):"
        yield "        super().__init__()"
        yield from (f"        self.{key} = self.{key.title().replace('_', '')}()" for key in inner)
        yield ""
    code = graph.graph.python_code("self").src
    yield from (f"    {line}" for line in code.strip("\n").splitlines())
