"""Marks each statement of the code that Inductor generated in a profile, by its line.

A kernel's launch says nothing of where it comes from; the statement that was being run when it was
launched does. The functions of the generated modules get code in which each statement stands in a
mark of torch's profiler; what they compute stays the same. Assigning ``__code__`` reaches those
functions wherever they are held (CUDA graphs hold them), in every thread.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

LINE_MARK = "inspector line "
"""What a mark's name begins with; the file's stem and the line follow: ``… cabc123:45``."""
_MARK = "inspector_line"  # without leading underscores: methods would look for another name
# Every module of Inductor's that runs a graph has `call`, others hold one kernel each; beside it
# stand parts of it (partitions, branches, loops), and what only benchmarks it.
_CALL = "call"
_APART = frozenset({"benchmark_compiled_module", "get_args"})
_LIBRARIES = ("extern_kernels.", "torch.ops.", "aten.", "inductor_ops.", "_quantized.")
_KERNELS = "async_compile."


@contextlib.contextmanager
def marked_lines() -> Iterator[int]:
    """Marks the statements of all generated modules while it is entered; gives how many functions.

    Without a profiler a mark costs some 100 ns. Modules that are not Python (``cpp_wrapper``), or
    whose file is gone, are left alone.
    """
    with rewritten(_Marking, _MARK, _marker) as functions:
        yield functions


def calling_marks() -> frozenset[str]:
    """The marks of statements that call a kernel or a library."""
    found: set[str] = set()
    for module, tree in generated_modules():
        own = {
            target.id
            for item in tree.body
            if isinstance(item, ast.Assign) and _called(item.value).startswith(_KERNELS)
            for target in item.targets
            if isinstance(target, ast.Name)
        }
        stem = Path(str(module.__file__)).stem
        for node in ast.walk(tree):
            if _called(node).startswith(_LIBRARIES) or _called(node).removesuffix(".run") in own:
                found.add(f"{LINE_MARK}{stem}:{getattr(node, 'lineno', 0)}")
    return frozenset(found)


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


@contextlib.contextmanager
def rewritten(
    change: Callable[[], ast.NodeTransformer], name: str, helper: Callable[[str], object]
) -> Iterator[int]:
    """Gives the functions of all generated modules other code while it is entered.

    Args:
        change: Makes what rewrites the text of a module.
        name: A global variable that the new code uses.
        helper: Its value in a module, given the stem of the module's file.

    Yields:
        How many functions were changed.
    """
    changed: list[tuple[FunctionType, CodeType]] = []
    try:
        for module, tree in generated_modules():
            changed += _rewrite(module, change().visit(tree), name, helper)
        yield len(changed)
    finally:
        for function, code in changed:
            function.__code__ = code


def generated_modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    """The modules that Inductor generated, with their texts read as Python."""
    from torch._inductor.codecache import PyCodeCache

    for module in list(PyCodeCache.modules):
        file = str(getattr(module, "__file__", "") or "")
        if not _called_functions(module):
            continue
        with contextlib.suppress(OSError, ValueError, SyntaxError):
            yield module, ast.parse(Path(file).read_text("utf-8"))


def _rewrite(
    module: ModuleType, tree: ast.Module, name: str, helper: Callable[[str], object]
) -> Iterator[tuple[FunctionType, CodeType]]:
    file = str(module.__file__)
    made = compile(ast.fix_missing_locations(tree), file, "exec")
    codes = {code.co_qualname: code for code in _codes(made)}
    vars(module)[name] = helper(Path(file).stem)
    for function in _called_functions(module):
        code = function.__code__
        # A closure's code fits to its own cells alone.
        fitting = codes.get(code.co_qualname)
        if fitting is not None and code.co_freevars == fitting.co_freevars:
            yield function, code
            function.__code__ = fitting


def _called_functions(module: ModuleType) -> list[FunctionType]:
    found = {
        function.__code__.co_qualname: function
        for function in _functions(module)
        if function.__code__.co_name not in _APART
    }
    is_wrapper = any(function.__code__.co_name == _CALL for function in found.values())
    return list(found.values()) if is_wrapper else []


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    owners = [
        vars(module),
        *(
            vars(item)
            for item in vars(module).values()
            if isinstance(item, type) and item.__module__ == module.__name__
        ),
    ]
    for owner in owners:
        for item in list(owner.values()):
            if isinstance(item, FunctionType) and item.__module__ == module.__name__:
                yield item


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _marker(stem: str) -> Any:
    from torch._C._profiler import _RecordFunctionFast

    names: dict[int, str] = {}

    def mark(line: int) -> Any:
        name = names.get(line)
        if name is None:
            name = names[line] = f"{LINE_MARK}{stem}:{line}"
        # A new one each time: several threads may be in the same statement, or one of them twice.
        return _RecordFunctionFast(name)

    return mark


class _Marking(ast.NodeTransformer):
    """Puts each statement of each function into a mark; what steers (with, if, for) stays."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = [self._within(item) for item in node.body]
        return node

    def _within(self, statement: ast.stmt) -> ast.stmt:
        if isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign | ast.AnnAssign):
            mark = ast.Call(ast.Name(_MARK, ast.Load()), [ast.Constant(statement.lineno)], [])
            return ast.copy_location(ast.With([ast.withitem(mark)], [statement]), statement)
        for field in ("body", "orelse"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef):
                setattr(statement, field, [self._within(item) for item in inner])
        return statement
