"""Where the user's own code calls a compiled function, and what it passes there."""

import ast
import dataclasses
import re
from collections.abc import Sequence
from typing import TypeAlias

from inspector.report.user_code.calls import Parameters, called_on, parameters_of
from inspector.run.closure_name import ClosureName
from inspector.run.run import Run
from inspector.shared.roots import Owner
from inspector.shared.stack import (
    StackFrame,
    is_graph_code,
    is_resumed,
    plain_name,
    project_frame,
    resumed_line,
)
from inspector.trace.guard_source import spelled, without_class_dicts

_BASE = re.compile(r"^(?P<base>[A-Za-z_]\w*)(?P<path>.*)$", re.DOTALL)
_POSITION = re.compile(r"^\[(?P<index>\d+)\](?P<path>.*)$", re.DOTALL)
_KEY = re.compile(r"^\[(['\"])(?P<key>\w+)\1\](?P<path>.*)$", re.DOTALL)
_NUMPY = re.compile(r"^___from_numpy\((.+)\)$")
# What makes a new tensor each time that it is written (torch.Tensor's properties).
_VIEWS = frozenset({"T", "mT", "H", "mH", "data", "real", "imag", "grad"})
# torch/_dynamo/external_utils.py, 2.11 to 2.13: `wrap_inline` calls a module of torch's own, or
# what torch defines, through `inner(*args, **kwargs)`, which calls its closure's `fn`.
_WRAPPER = "torch/_dynamo/external_utils.py"
# What runs where an object itself is called.
_OF_CALLS = frozenset({"forward", "__call__"})
_Found: TypeAlias = tuple[str, bool]


@dataclasses.dataclass(frozen=True, slots=True)
class Passed:
    """What a caller passes for something.

    Attributes:
        text: The expression as it stands there, or an empty string where that is not known.
        path: What is reached from it (``.mode``, ``['k']``), or an empty string.
        has_name: Whether it is the same object each time that it is written: a name, and what is
            reached from it by attributes and keys.
        parameter: What the function calls it.
    """

    text: str
    path: str
    has_name: bool
    parameter: str

    @property
    def whole(self) -> str:
        """The expression with what is reached from it, where it has a name."""
        return self.text + self.path if self.has_name else ""

    @property
    def written(self) -> str:
        """The expression for prose; empty where it is not known, or is no name with a path."""
        return self.text + self.path if self.has_name or not self.path else ""


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """The place from which a compiled function is called.

    Attributes:
        frame: The caller's frame, or None where the program's own code does not call it (the
            inputs of ``inspect explain``) or nobody knows.
        call: The call on that line, or None where it is not certain which it is.
        is_foreign: Whether a library or code that torch generated makes the call, which nobody can
            change; the frame is then the project's line that led to it.
    """

    frame: StackFrame | None
    call: ast.Call | None = None
    parameters: Parameters = dataclasses.field(default_factory=Parameters)
    is_foreign: bool = False

    def passed(self, name: str) -> Passed:
        """What is passed for a source as reasons spell it (``x``, ``d['k']``, ``self.cache``)."""
        spelled = user_spelling(name)
        match = _BASE.match(spelled)
        closed = ClosureName.of(spelled)
        if closed is not None:
            return Passed("", "", has_name=False, parameter=closed.expression)
        if match is None or name.startswith("G["):  # a global has its name everywhere
            return Passed(spelled, "", has_name=name.startswith("G["), parameter=spelled)
        base, path = match["base"], match["path"]
        found = self._argument(base)
        position, key = _POSITION.match(path), _KEY.match(path)
        if found is None and position and base == self.parameters.star:
            number = self.parameters.positional + int(position["index"])
            found, path, base = self._at(number), position["path"], "t"
        elif found is None and key and base == self.parameters.keywords:
            found, path, base = self._keyword(key["key"]), key["path"], key["key"]
        text, has_name = found or ("", False)
        return Passed(text, path, has_name=has_name, parameter=base)

    def _argument(self, base: str) -> _Found | None:
        if self.call is None:
            return None
        if self.parameters.is_wrapper and base == "fn":
            return _written(self.call.func)
        if base not in self.parameters.names:
            return None
        return self._keyword(base) or self._at(self.parameters.names.index(base))

    def _keyword(self, name: str) -> _Found | None:
        keywords = self.call.keywords if self.call else []
        for keyword in keywords:
            if keyword.arg == name:
                return _written(keyword.value)
        doubles = [item.value for item in keywords if item.arg is None]
        # What is passed by position is not in `**batch`.
        taken = self.call.args if self.call else []
        if len(doubles) == 1 and not taken and isinstance(doubles[0], ast.Name):
            return f"{doubles[0].id}[{name!r}]", True
        return None

    def _at(self, index: int) -> _Found | None:
        """The argument at the position of a parameter."""
        if self.call is None or (index >= self.parameters.positional and not self.parameters.star):
            return None
        if self.parameters.is_method:
            # Of a method, or of a module that is called, the first one stands before the bracket.
            if index == 0:
                owner = self._owner(self.call.func)
                return _written(owner) if owner is not None else None
            index -= 1
        for position, node in enumerate(self.call.args):
            if isinstance(node, ast.Starred):
                is_last = position == len(self.call.args) - 1
                is_plain = is_last and isinstance(node.value, ast.Name) and index >= position
                return (f"{node.value.id}[{index - position}]", True) if is_plain else None  # type: ignore[attr-defined]
            if position == index:
                return _written(node)
        return None

    def _owner(self, function: ast.expr) -> ast.expr | None:
        """``net`` of ``net.step(x)``, and of ``net(x)``, where the function is its ``forward``.

        None where something else is called: ``step`` of ``step = torch.compile(net.step)``.
        """
        if isinstance(function, ast.Attribute) and function.attr == self.parameters.function:
            return function.value
        return function if self.parameters.function in _OF_CALLS else None


def _written(node: ast.expr) -> _Found:
    """An expression, and whether it leads to the same object each time that it is written.

    An item by its number can be a row of a tensor, which is a new tensor each time.
    """
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Attribute) and inner.attr in _VIEWS:
            break
        if isinstance(inner, ast.Subscript):
            key = inner.slice
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                break
        inner = inner.value
    return ast.unparse(node), isinstance(inner, ast.Name)


def user_spelling(name: str) -> str:
    """A source as the user would write it: ``self.layers[0].weight``, ``N``."""
    numpy = _NUMPY.match(without_class_dicts(name))
    return spelled(numpy[1] if numpy else name)


def is_wrapper(frame: StackFrame) -> bool:
    """Whether a function is torch's own around a module of torch."""
    return frame.name == "inner" and frame.file.replace("\\", "/").endswith(_WRAPPER)


def call_site(
    run: Run, stack: Sequence[StackFrame], frame: StackFrame, *, is_whole: bool = True
) -> CallSite:
    """Where a function was called from.

    Args:
        stack: The stack down to the function, outermost first.
        is_whole: Whether the stack is the process's own. Torch's log leaves out who called a
            compiled function, with torch's frames between them (`_compile` in
            torch/_dynamo/convert_frame.py, 2.11 to 2.13); of a module more of those are left.
    """
    around = list(stack[:-1])
    if is_resumed(frame.name):
        # What goes on behind a graph break is called by the first part of the same function.
        own = (frame.file, plain_name(frame.name))
        while around and (around[-1].file, plain_name(around[-1].name)) == own:
            around.pop()
    if not is_whole and around and run.roots.is_user(around[-1].file):
        return CallSite(None, parameters=parameters_at(run, frame))
    callers = [item for item in around if run.roots.is_user(item.file)]
    if not callers:
        return CallSite(None, parameters=parameters_at(run, frame))
    caller = callers[-1]
    by_graph = any(is_graph_code(item.file) for item in around[around.index(caller) :])
    if by_graph or run.roots.owner(caller.file) is Owner.LIBRARY:
        project = project_frame(around, run.roots)
        return CallSite(project, parameters=parameters_at(run, frame), is_foreign=True)
    text = run.sources.text(caller.file) or ""
    call = called_on(text, caller, plain_name(frame.name))
    return CallSite(caller, call, parameters_at(run, frame))


def parameters_at(run: Run, frame: StackFrame) -> Parameters:
    """What the user's function takes that a frame is of, the whole or a part of it."""
    if is_wrapper(frame):
        return Parameters(star="args", keywords="kwargs", is_wrapper=True)
    text, line = run.sources.text(frame.file) or "", resumed_line(frame.name)
    return parameters_of(
        text, frame.line if line is None else line, plain_name(frame.name),
        is_inside=line is not None,
    )  # fmt: skip
