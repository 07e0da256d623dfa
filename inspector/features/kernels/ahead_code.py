"""The C++ that AOTInductor generates: which kernels it defines, and what it launches.

It is the output code of a graph in another language (torch/_inductor/codegen/cpp_wrapper_cpu.py and
cpp_wrapper_gpu.py, 2.4 to 2.13). The source of Triton kernels is in comments, since 2.7.
"""

import ast
import dataclasses
import re
import textwrap
from collections.abc import Iterator, Mapping

from inspector.features.kernels.generated_source import read_triton
from inspector.records.kernels import source_nodes
from inspector.run.kernel import Call, GraphCode, Kernel, NodeLine

_TRITON = re.compile(r"^[ \t]*async_compile\.triton\('(?P<name>\w+)', '''$", re.MULTILINE)
_CPP = re.compile(r'^(?:#include [^\n]*\n)?extern "C"\s+void\s+(?P<name>\w+)\(', re.MULTILINE)
_RUN = re.compile(r"^void (?P<name>AOTInductorModel::run_impl)\(", re.MULTILINE)
_END, _TRITON_END = re.compile(r"^}", re.MULTILINE), re.compile(r"''', device_str='\w+'\)")
_CALLED = re.compile(r"(?<![\w:])((?:at::)?\w+)\(")
# Up to torch 2.5 a name has no device, or is that of a C++ function (at::addmm_out).
_LIBRARY = re.compile(
    r"aoti_torch_(?:(?:cpu|cuda|mps|xpu)_(\w+?)(?:_out)?|(\w+)_out)|at::(\w+)_out"
)
_PROXY = "aoti_torch_proxy_executor_call_function"


def read_ahead_code(
    text: str, rest: str, compile_id: str, lines: Mapping[str, NodeLine]
) -> GraphCode:
    """Reads the code of one graph; `lines` are the user's by nodes of the graph that was exported.

    Raises:
        ValueError: The wrapper was cut off.
    """
    run = next(_parts(text, _RUN, _END), None)
    if run is None:
        message = "the AOTInductor code launches nothing"
        raise ValueError(message)
    cpp = _parts(f"{text}\n{rest}", _CPP, _END)
    kernels = {kernel.name: kernel for kernel in _triton(text)}
    kernels |= {part.name: Kernel(part.name, "cpp", "cpp", part.text, part.line) for part in cpp}
    calls = tuple(_calls(run, kernels, lines))
    for name, kernel in kernels.items():
        own = [call for call in calls if call.name == name]
        nodes = tuple(dict.fromkeys(node for call in own for node in call.nodes))
        aten = own[0].aten if own else ()
        kernels[name] = dataclasses.replace(kernel, nodes=nodes, aten=aten)
    return GraphCode(compile_id, "inference", "AOTInductor", tuple(kernels.values()), calls)


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    name: str
    text: str
    line: int


def _parts(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> Iterator[_Part]:
    """What is between a beginning and the next end; nothing of what is cut off."""
    at, line = 0, 1
    while (found := begin.search(text, at)) and (closed := end.search(text, found.end())):
        line += text.count("\n", at, found.start())
        yield _Part(found["name"], text[found.start() : closed.end()], line)
        line += text.count("\n", found.start(), closed.end())
        at = closed.end()


def _triton(text: str) -> Iterator[Kernel]:
    for part in _parts(text, _TRITON, _TRITON_END):
        try:
            call = ast.parse(textwrap.dedent(part.text), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        if isinstance(call, ast.Call) and isinstance(call.args[1], ast.Constant):
            kernel = read_triton(part.name, str(call.args[1].value))
            yield dataclasses.replace(kernel, line=part.line, definition=NodeLine(""))


def _calls(
    run: _Part, kernels: Mapping[str, Kernel], lines: Mapping[str, NodeLine]
) -> Iterator[Call]:
    nodes: tuple[NodeLine, ...] = ()
    aten: tuple[str, ...] = ()
    for number, line in enumerate(run.text.split("\n"), run.line):
        if line.lstrip().startswith("//"):
            names, operators = source_nodes(line)
            if names or operators:
                nodes = tuple(lines.get(name, NodeLine(name)) for name in names)
                aten = operators
            continue
        for called in _CALLED.findall(line):
            kind, name = _work(called, kernels)
            if kind:
                yield Call(kind, name or (called, *aten)[-1], number, (), aten, nodes)
                nodes, aten = (), ()


def _work(called: str, kernels: Mapping[str, Kernel]) -> tuple[str, str]:
    kernel = called.removeprefix("call_")
    if kernel in kernels:
        return "kernel", kernel
    library = _LIBRARY.fullmatch(called)
    if library is not None:
        return "extern", library[library.lastindex or 0]
    return ("aten", "") if called == _PROXY else ("", "")
