"""Parts of generated code: comments, literals, decorators. It comes from logs, and is never run."""

import ast
import dataclasses
import re
from collections.abc import Sequence

from inspector.records.kernels import source_nodes
from inspector.run.kernel import Kernel, NodeLine

_LONGEST = 200
_HEAD = "# Topologically Sorted Source Nodes: ["
_FRAGMENT = re.compile(r"#   %(?P<name>\w+) : .* = call_")
# define_user_defined_triton_kernel in torch/_inductor/codegen/wrapper.py
_PATH = re.compile(r"# Original path: (?P<file>.+):(?P<line>\d+)$")
# Between a comment and what it is about stand at most other statements about streams.
_MOST_LINES = 400
_HEURISTICS = "triton_heuristics."


def output_module(text: str) -> ast.Module:
    """Parses the output code of a graph; `ValueError` where it is no Python (cut off, say)."""
    try:
        return ast.parse(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        message = "the output code is not Python"
        raise ValueError(message) from error


def text_of(node: ast.expr) -> str:
    """An expression as text, cut off where it is very long."""
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@dataclasses.dataclass(frozen=True, slots=True)
class Comment:
    """What Inductor says before a kernel's definition and before each launch.

    Attributes:
        file: Of a kernel that the user wrote, its file, or an empty string.
        lowered: Names of nodes of the post-grad graph.
    """

    nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    lowered: tuple[str, ...] = ()


def comment_before(source: Sequence[str], line: int) -> Comment:
    """The comment about the statement that begins in a line, from 1; an empty one if none is."""
    seen_comment = False
    lowered: list[str] = []
    for number in range(line - 2, max(line - _MOST_LINES, -1), -1):
        text = source[number].strip()
        if text.startswith(_HEAD):
            return Comment(*source_nodes(text), lowered=tuple(reversed(lowered)))
        if path := _PATH.match(text):
            return Comment(file=path["file"], line=int(path["line"]))
        if fragment := _FRAGMENT.match(text):
            lowered.append(fragment["name"])
        if text.startswith("#"):
            seen_comment = True
        elif seen_comment or not text.startswith(("stream", "raw_stream", "buf", "del ")):
            break
    return Comment()


def read_triton(name: str, source: str, language: str = "triton") -> Kernel:
    """A kernel with what the decorator in its source says of it, and its function's definition.

    The decorator is one of torch/_inductor/runtime/triton_heuristics.py (2.11 to 2.13); without one
    nothing is known but the source.
    """
    kernel = Kernel(name, language, "", source, 0)
    try:
        module = ast.parse(source)
    except (SyntaxError, MemoryError, RecursionError):
        return kernel
    for function in module.body:
        for decorator in function.decorator_list if isinstance(function, ast.FunctionDef) else ():
            kind = ast.unparse(decorator.func) if isinstance(decorator, ast.Call) else ""
            if not isinstance(decorator, ast.Call) or not kind.startswith(_HEURISTICS):
                continue
            values = {item.arg: _value(item.value) for item in decorator.keywords if item.arg}
            hints, meta, inductor_meta = (
                value if isinstance(value := values.pop(key, {}), dict) else {}
                for key in ("size_hints", "triton_meta", "inductor_meta")
            )
            values.pop("filename", None)
            signature = meta.pop("signature", {})
            types = signature.items() if isinstance(signature, dict) else ()
            return dataclasses.replace(
                kernel,
                kind=kind.removeprefix(_HEURISTICS),
                size_hints={key: size for key, size in hints.items() if isinstance(size, int)},
                signature={key: str(type_) for key, type_ in types},
                inductor_meta=inductor_meta,
                options={**values, "triton_meta": meta},
                definition=NodeLine("", code=f"def {getattr(function, 'name', '')}"),
            )
    return kernel


def _value(node: ast.expr) -> object:  # noqa: PLR0911 - a kind of literal each
    """The value of an expression; text where it is no literal.

    Calls become dictionaries of their keyword arguments (``DeviceProperties(type='cuda')``), sets
    become lists.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return {str(_value(key)): _value(value) for key, value in pairs if key is not None}
        case ast.List() | ast.Tuple() | ast.Set():
            return [_value(item) for item in node.elts]
        case ast.Call() if node.keywords:
            return {item.arg: _value(item.value) for item in node.keywords if item.arg}
        case ast.Call() if isinstance(node.func, ast.Name) and node.func.id == "set":
            return []
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return text_of(node)
