"""Writes the file that shows a fault alone, and runs it in a fresh process."""

from __future__ import annotations

import dataclasses
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

import torch
from torch import fx

from inspector.capture.bench.captured import Part
from inspector.capture.numerics import harness
from inspector.capture.repro.faults import Fault, Subject, python_of
from inspector.capture.target.call import Call
from inspector.capture.target.target import Target
from inspector.records.repro import Repro

_SECONDS = 600
_MOST_OUTPUT = 2_000
_MOST_LISTED = 4
_FUTURE = "from __future__ import annotations\n"


def checked(
    found: Repro, fault: Fault, texts: tuple[str, str], needs: Sequence[str], root: str
) -> Repro:
    """Runs the file in a fresh process; where it shows nothing, with the project's modules.

    Args:
        texts: The head of the file, and what follows the imports of the project.
        needs: Modules of the project: one of them may have changed torch.
    """
    sets: list[tuple[str, ...]] = [()]
    if needs:
        singles = [(name,) for name in needs] if len(needs) <= _MOST_LISTED else []
        sets += singles if len(needs) == 1 else [*singles, tuple(needs)]
    tried = []
    for names in sets:
        text = texts[0] + _imports_of(names, root) + texts[1]
        output = _run(text)
        if fault.is_in(output):
            return dataclasses.replace(found, text=text, is_checked=True, needs=names)
        tried.append(dataclasses.replace(found, text=text, output=output[-_MOST_OUTPUT:]))
    return tried[0]


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
    names = dict(part.graph.graph.python_code("self").globals)
    for module in _subgraphs(part.graph):
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


def program_text(target: Target, call: Call, how: Mapping[str, Any]) -> str:
    """The same for the whole program, where Dynamo itself is wrong: the text of its file."""
    source = Path(target.file or "").read_text(encoding="utf-8") if target.file else ""
    names = [*call.kwargs]
    positional = len(call.args)
    keywords = ", ".join(f"{name}=given[{positional + at}]" for at, name in enumerate(names))
    values = [*call.args, *call.kwargs.values()]
    options = {name: how[name] for name in ("no_grad", "backward")}
    arguments = ", ".join(f"{name}={value}" for name, value in options.items())
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
        f"    return model(*given[:{positional}]{', ' + keywords if keywords else ''})",
        "",
        "",
        *_inputs(map(python_of, values)),
        'if __name__ == "__main__":',
        f"    main(program, inputs, {how['compile_with']!r}, {arguments})",
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
    return f"{_harness()}\n{chr(10).join(body)}"


def head_of(title: str, replays: Sequence[str]) -> str:
    """The beginning of the file: what is wrong, and the commands that show it or avoid it."""
    commands = [f"    {line}" for line in ("python repro.py", *replays)]
    return "\n".join((f'"""{title}', "", *commands, '"""', "", _FUTURE, ""))


def _harness() -> str:
    """The harness without its docstring and its imports of the future."""
    text = inspect.getsource(harness)
    return text.partition('"""\n\n')[2]


def _subgraphs(graph: fx.GraphModule) -> Iterator[fx.GraphModule]:
    return (item for item in graph.modules() if isinstance(item, fx.GraphModule))


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


def versions() -> str:
    """``torch 2.13.0+cpu``, for the file's first line."""
    return f"torch {torch.__version__}"
