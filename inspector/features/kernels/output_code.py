"""Inductor's output code: which kernels it defines, and what it launches.

The code is Python (torch/_inductor/codegen/wrapper.py, 2.11 to 2.13), and read as such. It is never
run: it comes from logs.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.kernels.generated_source import (
    Comment,
    comment_before,
    output_module,
    read_triton,
    text_of,
)
from inspector.features.kernels.repeated import repeats
from inspector.run.kernel import Call, GraphCode, Kernel, NodeLine

_NAME = re.compile(r"^# AOT ID: \['(\w+)'\]", re.MULTILINE)
_DIRECTIONS = ("inference", "forward", "backward")
_CPP = ("cpp", "cpp_pybinding")
_OPERATORS = "torch.ops."
_LIBRARIES = ("extern_kernels.", "aten.", "inductor_ops.", "_quantized.")
# Functions of the code that do none of the graph's work; all others are it, or parts of it:
# partitions, subgraphs, branches, loops.
_APART = frozenset({"benchmark_compiled_module", "get_args", "recursively_apply_fns", "__init__"})
_OWN = "triton_kernel_wrapper_"  # torch/_higher_order_ops/triton_kernel_wrap.py
# Operators that move nothing and launch nothing.
_NO_WORK = ("torch.ops.inductor._alloc_from_pool", "torch.ops._c10d_functional.wait_tensor")


def read_output_code(
    text: str,
    compile_id: str,
    lines: Mapping[str, NodeLine],
    lowered: Mapping[str, NodeLine] | None = None,
) -> GraphCode:
    """Reads the output code of one graph.

    Args:
        lines: The user's lines by the names of nodes in Dynamo's graph.
        lowered: The same for nodes of the post-grad graph, of a backward pass.

    Raises:
        ValueError: It is no Python (cut off, say).
    """
    module = output_module(text)
    source = text.split("\n")
    named = _NAME.search(text)
    name = named[1] if named else ""
    direction = next((each for each in _DIRECTIONS if name.endswith(each)), "inference")
    nodes = _Nodes(lines, (lowered or {}) if direction == "backward" else {})
    kernels = tuple(_kernels(module, source, nodes))
    bodies = list(_bodies(module))
    calls = sorted(_calls(bodies, source, {k.name for k in kernels}, nodes), key=lambda c: c.line)
    repeated: dict[int, int] = {}
    for function in bodies:
        repeated |= repeats(function, calls, {kernel.name: kernel for kernel in kernels})
    calls = [dataclasses.replace(call, repeats=repeated.get(call.line, 0)) for call in calls]
    kernels = tuple(_with_nodes(kernel, calls) for kernel in kernels)
    return GraphCode(compile_id, direction, name, kernels, tuple(calls))


def _kernels(module: ast.Module, source: Sequence[str], lines: _Nodes) -> Iterator[Kernel]:
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=ast.Call() as call):
                function = ast.unparse(call.func)
                if function.startswith("async_compile."):
                    comment = comment_before(source, statement.lineno)
                    language = function.removeprefix("async_compile.")
                    yield _kernel(name, language, call, comment, lines)


def _kernel(name: str, language: str, call: ast.Call, comment: Comment, lines: _Nodes) -> Kernel:
    texts = [item.value for item in ast.walk(call) if isinstance(item, ast.Constant)]
    body = max((text for text in texts if isinstance(text, str)), key=len, default="")
    kernel = Kernel(name, "cpp", "cpp", body, 0)
    if language not in _CPP:
        kernel = read_triton(name, body, language)
    definition = NodeLine("")
    if comment.file:
        definition = NodeLine("", comment.file, comment.line, kernel.definition.code)
    return dataclasses.replace(
        kernel, line=call.lineno, aten=comment.aten, nodes=lines.of(comment), definition=definition
    )


def _with_nodes(kernel: Kernel, calls: Sequence[Call]) -> Kernel:
    """All that its launches compute: the comment at its definition is about the first of them.

    At a kernel that the user wrote Inductor names what computes its inputs, too, and at what
    computes them the call of that kernel.
    """
    launched = (node for call in calls if call.name == kernel.name for node in call.nodes)
    nodes = list(dict.fromkeys([*kernel.nodes, *launched]))
    own = [node for node in nodes if node.node.startswith(_OWN)]
    chosen = own if kernel.is_user_written else [node for node in nodes if node not in own]
    return dataclasses.replace(kernel, nodes=tuple(chosen or nodes))


@dataclasses.dataclass(frozen=True, slots=True)
class _Nodes:
    """The user's lines by the names of nodes in two graphs."""

    captured: Mapping[str, NodeLine]
    lowered: Mapping[str, NodeLine]

    def of(self, comment: Comment) -> tuple[NodeLine, ...]:
        """The nodes that a comment names; of the second graph, what has a line of its own."""
        nodes = [self.captured.get(node, NodeLine(node)) for node in comment.nodes]
        known = {(node.file, node.line) for node in nodes}
        for name in comment.lowered:
            node = self.lowered.get(name, NodeLine(name))
            if node.line and (node.file, node.line) not in known:
                known.add((node.file, node.line))
                nodes.append(node)
        return tuple(nodes)


def _calls(
    bodies: Sequence[ast.FunctionDef], source: Sequence[str], names: set[str], lines: _Nodes
) -> Iterator[Call]:
    for body in bodies:
        for node in ast.walk(body):
            if isinstance(node, ast.Call):
                kind, name = _work(ast.unparse(node.func), names)
                if kind:
                    comment = comment_before(source, node.lineno)
                    arguments = tuple(text_of(item) for item in node.args)
                    nodes = lines.of(comment)
                    yield Call(kind, name, node.lineno, arguments, comment.aten, nodes)


def _bodies(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions that do the work: ``call``, and those of partitions and nested graphs."""
    for statement in module.body:
        for item in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            if isinstance(item, ast.FunctionDef) and item.name not in _APART:
                yield item


def _work(function: str, names: set[str]) -> tuple[str, str]:
    kernel = function.removesuffix(".run")
    if kernel in names:
        return "kernel", kernel
    if function.startswith("extern_kernels."):
        return "extern", function.removeprefix("extern_kernels.")
    if function.startswith(_OPERATORS) and function not in _NO_WORK:
        return "aten", function.removeprefix(_OPERATORS)
    if function.startswith(_LIBRARIES):
        return "aten", function
    return "", ""
