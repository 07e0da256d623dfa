"""Calls in output code that compute what another one has computed.

Each buffer's content has a number, as in value numbering of compilers: what is computed of the same
numbers by the same function has the same number (Cocke, *Global common subexpression elimination*,
1970). What is not known to give the same for the same arguments has a new number each time.
"""

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from inspector.features.kernels.buffer_statements import ALLOCATES, ASSERTS, RENAMES, deleted_names
from inspector.run.kernel import Call, Kernel

_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
# What ATen gives is the same for the same arguments, but for random numbers and attention with
# dropout; what belongs to others may do anything.
_SAME = re.compile(r"aten\.|prims\.|mkldnn\.|quantized\.")
_DRAWS = re.compile(r"rand|bernoulli|dropout|normal_|multinomial|exponential|attention|rrelu|rng")
_IN_PLACE = re.compile(r"_(?:\.|$)")
# `extern "C" void kernel(const float* in_ptr0, float* out_ptr0, const int64_t ks0)`, 2.11 to 2.13
# (torch/_inductor/codegen/cpp.py): what comes before the function is one line of `#include`.
_CPP = re.compile(r"\bvoid\s+(?:kernel|\w+)\s*\((?P<parameters>[^)]*)\)")


def repeats(
    function: ast.FunctionDef, calls: Iterable[Call], kernels: Mapping[str, Kernel]
) -> dict[int, int]:
    """The lines of calls that repeat another one of the function's, with the line of the first."""
    statements = list(_in_a_row(function.body))
    if any(isinstance(item, ast.If | ast.For | ast.While | ast.Try) for item in statements):
        return {}  # what is in a branch or a loop may not have run
    values = _Values(kernels, frozenset(deleted_names(statements)))
    by_line = {call.line: call for call in calls}
    found = {}
    for statement in statements:
        first = values.step(statement, by_line)
        if first:
            found[statement.lineno] = first
    return found


def _in_a_row(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.With):
            yield from _in_a_row(statement.body)
        else:
            yield statement


class _Values:
    """What is in each buffer, as a number.

    Where a name is deleted, memory that has another name on the same line is used again.
    """

    def __init__(self, kernels: Mapping[str, Kernel], deleted: frozenset[tuple[int, str]]) -> None:
        self._kernels = kernels
        self._deleted = deleted
        self._numbers: dict[Hashable, int] = {}
        # The memory that a name stands for, and how it is seen through it.
        self._names: dict[str, tuple[int, str]] = {}
        self._contents: dict[int, int] = {}
        # Memory with nothing in it that is wanted but by what works in place.
        self._unwritten: set[int] = set()
        self._first: dict[int, int] = {}

    def step(self, statement: ast.stmt, calls: Mapping[int, Call]) -> int:
        """Takes note of a statement; the line of the first that computed the same, or 0."""
        value = getattr(statement, "value", None)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        name = target.id if isinstance(target, ast.Name) else ""
        call = calls.get(statement.lineno)
        match value:
            case ast.Call() if call is not None:
                return self._called(value, call, name)
            case ast.Call(func=function) if name and _ends(function, ALLOCATES):
                self._make(name, self._new(), is_written=False)
            case ast.Name(id=other) | ast.Call(args=[ast.Name(id=other), *_]) if (
                name and other in self._names and _is_name_or_view(value)
            ):
                if (statement.lineno, other) in self._deleted:
                    self._make(name, self._number(self._shown(value)), is_written=False)
                else:
                    self._names[name] = self._seen(value)
            case ast.expr() if name:
                self._make(name, self._number(self._shown(value)))
            case ast.Call(func=function) if not _ends(function, ASSERTS):
                self._change_all(value)
            case None:
                pass
            case _ if isinstance(target, ast.Tuple | ast.List):
                self._name_all(target)
        return 0

    def _called(self, node: ast.Call, call: Call, name: str) -> int:
        if call.kind == "kernel":
            return self._launched(node, self._kernels[call.name], call)
        out = [word.value for word in node.keywords if word.arg == "out"]
        # Whether a library gives the same for the same arguments, and changes none of them.
        is_pure = (call.kind == "extern" or _SAME.match(call.name)) and not (
            _DRAWS.search(call.name) or _IN_PLACE.search(call.name)
        )
        if not is_pure or len(out) > 1 or not (out or name):
            self._change_all(node)
            if name:
                self._make(name, self._new())
            return 0
        words = (
            f"{word.arg}={self._shown(word.value)}" for word in node.keywords if word.arg != "out"
        )
        number = self._number(call.name, *map(self._shown, node.args), *words)
        if out:
            self._write(out[0], number)
        else:
            self._make(name, number)
        return self._repeated(number, call.line)

    def _launched(self, node: ast.Call, kernel: Kernel, call: Call) -> int:
        """A launch: what it writes to has what it computes of what it reads.

        What is there counts as read unless nothing was written to it yet: the launch may write to a
        part of it.
        """
        names = _pointer_names(kernel)
        written = [pair for pair in zip(names, node.args, strict=False) if "out_ptr" in pair[0]]
        if len(names) < len(node.args) or not written:
            self._change_all(node)
            return 0
        fresh = [
            arg
            for name, arg in written
            if name.startswith("out_")
            and isinstance(arg, ast.Name)
            and self._names.get(arg.id, (-1,))[0] in self._unwritten
        ]
        read = [arg for arg in node.args if arg not in fresh]
        number = self._number(kernel.name, *map(self._shown, read))
        for name, arg in written:
            self._write(arg, self._number(number, name))
        return self._repeated(number, call.line)

    def _repeated(self, number: int, line: int) -> int:
        first = self._first.setdefault(number, line)
        return first if first != line else 0

    def _write(self, target: ast.expr, number: int) -> None:
        """Puts something into memory; into a part of it if it is seen through a view."""
        if not _is_name_or_view(target):
            self._change_all(target)
            return
        memory, seen = self._seen(target)
        before = self._contents[memory]
        self._contents[memory] = self._number("part", before, seen, number) if seen else number
        self._unwritten.discard(memory)

    def _seen(self, node: ast.expr) -> tuple[int, str]:
        """The memory that a name or a view of it stands for, and how it is seen."""
        name = node.args[0] if isinstance(node, ast.Call) else node
        assert isinstance(name, ast.Name)  # noqa: S101 - its callers have looked
        if name.id not in self._names:
            self._make(name.id, self._new())
        memory, seen = self._names[name.id]
        rest = node.args[1:] if isinstance(node, ast.Call) else []
        return memory, seen + (f"({', '.join(map(ast.unparse, rest))})" if rest else "")

    def _change_all(self, node: ast.expr) -> None:
        """After a statement of which nothing is known: all that it names may be another."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in self._names:
                self._contents[self._names[inner.id][0]] = self._new()

    def _name_all(self, target: ast.expr) -> None:
        """After ``a, b = args``: new names, of which nothing is known."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._make(node.id, self._new())

    def _make(self, name: str, content: int, *, is_written: bool = True) -> None:
        memory = len(self._contents)
        self._contents[memory] = content
        if not is_written:
            self._unwritten.add(memory)
        self._names[name] = memory, ""

    def _shown(self, node: ast.expr) -> str:
        """An expression with the numbers of what is in the buffers that it names."""

        def numbered(name: re.Match[str]) -> str:
            if name[0] not in self._names:
                return name[0]
            memory, seen = self._names[name[0]]
            return f"<{self._contents[memory]}{seen}>"

        return _IDENTIFIER.sub(numbered, ast.unparse(node))

    def _number(self, *key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _new(self) -> int:
        return self._number("new", len(self._numbers))


def _is_name_or_view(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Call(func=function, args=[ast.Name(), *_]):
            return _ends(function, RENAMES)
    return False


def _ends(function: ast.expr, name: str) -> bool:
    """Whether a function is called so: ``empty_strided_cuda``, ``torch.…reinterpret_tensor``."""
    return ast.unparse(function).rpartition(".")[2].startswith(name)


def _pointer_names(kernel: Kernel) -> tuple[str, ...]:
    """The names of the parameters in their order, of numbers as well; empty if not known.

    Inductor names what is read ``in_ptr…``, what is written ``out_ptr…``, and both
    ``in_out_ptr…``.
    """
    if kernel.is_user_written:
        return ()
    if kernel.language == "triton":
        return tuple(kernel.signature)
    found = _CPP.search(kernel.source)
    parameters = found["parameters"].split(",") if found else []
    return tuple(item.split()[-1].lstrip("*") for item in parameters if item.strip())
