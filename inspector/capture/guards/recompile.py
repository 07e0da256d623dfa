"""What a failed guard looks at, while the program's values are still there.

Torch says which guard failed, and often not what it found. Nothing of the program's own runs here:
sources are followed through ``__dict__``, lists, tuples and dicts alone, and no property, no
``__getattr__`` and no ``__repr__`` of the program is called.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import re
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch

from inspector.capture import versions
from inspector.capture.frames import callers, in_characters
from inspector.capture.guards.described import FUNCTIONS, KNOWN_BY_ADDRESS, described
from inspector.capture.guards.instances import Instances, own_attributes
from inspector.capture.sources import SourceWriter
from inspector.capture.writer import emit
from inspector.records.recompiles import FailedGuards, Identities, SeenValue
from inspector.records.stack import StackFrame
from inspector.trace.failed_guard import parse_reason, stripped_source
from inspector.trace.guard_trees import parse_guards

_MOST_REASONS = 8
_MOST_IDENTITIES = 500
_MOST_REMEMBERED = 20_000
_IDENTITY = re.compile(r"___check_obj_id\((L\[.+?), (\d+)\)")
_CELL = re.compile(r"(?P<cell>[LG]\[[^\s,()]{1,300}\.__closure__\[\d+\])")
_MOST_CELLS = 100
_MOST_SOURCES = 2_000
_MISSING = object()
_Scope: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any]]
_Follow: TypeAlias = Callable[[str], Any]
# Members that hold what a function, a method or a class is made of (Dynamo's sources name them).
_TRANSPARENT = frozenset(
    ["__code__", "__closure__", "__defaults__", "__kwdefaults__", "__func__", "__self__",
     "__class__", "cell_contents", "func", "args", "keywords", "start", "stop", "step"]
)  # fmt: skip


class _Caller(NamedTuple):
    """A frame of a stack, which may be over."""

    code: types.CodeType
    line: int
    instruction: int


class RecompileObserver:
    """Remembers the objects that guards pin by identity, and describes what made guards fail."""

    def __init__(self, sources: SourceWriter) -> None:
        self._sources = sources
        self._objects: dict[int, SeenValue] = {}
        # Of each code object that was compiled, the cells that its guards look at.
        self._cells: dict[types.CodeType, dict[str, None]] = {}
        self._instances = Instances()
        # Of each code object, where its first compilation was called from.
        self._first: dict[types.CodeType, list[_Caller]] = {}

    def remember(self, text: str) -> None:
        """Describes what a guard tree names by identity or number, while it is there."""
        guards = versions.guards_being_made()
        if guards is None or len(self._objects) > _MOST_REMEMBERED:
            return
        code, follow = guards[0], functools.partial(_follow, guards[1])
        # Closure variables, which guards know by their number.
        if "__closure__" in text and len(self._cells) < _MOST_CELLS:
            known = self._cells.setdefault(code, {})
            for match in itertools.islice(_CELL.finditer(text), _MOST_CELLS):
                known[stripped_source(match["cell"])] = None
        named: dict[str, SeenValue] = {}
        for match in itertools.islice(_IDENTITY.finditer(text), _MOST_IDENTITIES):
            found = follow(stripped_source(match[1]))
            if id(found) == int(match[2]):
                seen = self._objects[id(found)] = described(found)
                if seen.kind in KNOWN_BY_ADDRESS:
                    named[match[2]] = seen
        if code not in self._first and len(self._first) < _MOST_REMEMBERED:
            self._first[code] = _from(versions.caller_of_compiled(code))
        instances = self._instances.note(code, text, follow)
        if named or instances:
            emit(Identities(named, instances))

    def _cell_names(self, code: types.CodeType, follow: _Follow) -> dict[str, str]:
        """The names of those closure variables, in the call that did not fit."""
        names: dict[str, str] = {}
        for cell in itertools.islice(self._cells.get(code, ()), _MOST_CELLS):
            function, _, index = cell.rpartition(".__closure__[")
            found = follow(function)
            free = found.__code__.co_freevars if type(found) is types.FunctionType else ()
            number = int(index.removesuffix("]"))
            if number < len(free):
                names[cell] = free[number]
        return names

    def explain(self) -> None:
        """Writes what the guards that have just failed look at."""
        compiling = versions.recompiling()
        if compiling is None:
            return
        frame, reasons = compiling
        code: types.CodeType = frame.f_code
        follow = functools.partial(_follow, (frame.f_locals, frame.f_globals))
        conversion = versions.frame_of_conversion()
        callers = _from(conversion[1] if conversion else None)
        stack = _stack(code, callers)
        first = self._first.get(code, callers)
        first_stack = () if first == callers else _stack(code, first)
        index = code.co_argcount + code.co_kwonlyargcount  # *args comes after all parameters
        now: dict[str, SeenValue] = {}
        before: dict[str, SeenValue] = {}
        for reason in reasons[:_MOST_REASONS]:
            failed = parse_reason(reason)
            for name in dict.fromkeys((failed.guard.source, *failed.guard.sources)):
                found = follow(name) if name else _MISSING
                if found is not _MISSING:
                    now.setdefault(name, described(found))
            # The address of what was there stands in the guard.
            wanted = re.search(r"___?check_obj_id\(.*, (\d+)\)", failed.text)
            if wanted and int(wanted[1]) in self._objects:
                before.setdefault(failed.guard.source, self._objects[int(wanted[1])])
        instances = self._instances.called_with(code, follow)
        # Imported at the top of this file, Dynamo would be there before torch has read TORCH_LOGS.
        if len(reasons) >= torch._dynamo.config.recompile_limit:  # noqa: SLF001
            # Nothing will be compiled whose own guards would tell the rest.
            for name in itertools.islice(_guarded(code), _MOST_SOURCES):
                found = _MISSING if name in now else follow(name)
                if found is not _MISSING:
                    now[name] = described(found)
        emit(
            FailedGuards(
                varargs=code.co_varnames[index] if code.co_flags & inspect.CO_VARARGS else "",
                free=code.co_freevars,
                now=now,
                before=before,
                modules=tuple(sorted(_modules(now, follow))),
                cells=self._cell_names(code, follow),
                stack=stack,
                first_stack=first_stack,
                instances=instances,
                alive=self._instances.alive(code, instances),
            )
        )
        for place in (*stack, *first_stack):
            self._sources.add(place.file)


def _guarded(code: types.CodeType) -> Iterator[str]:
    """What the guards of all versions of a function look at."""
    entries = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code)  # noqa: SLF001
    for entry in entries:
        sources = (guard.source for guard in parse_guards(str(entry.guard_manager)).guards)
        yield from map(stripped_source, filter(None, dict.fromkeys(sources)))


def _from(caller: types.FrameType | None) -> list[_Caller]:
    """A stack from a frame on, innermost first."""
    frames = callers(caller) if caller is not None else ()
    return [_Caller(frame.f_code, frame.f_lineno, frame.f_lasti) for frame in frames]


def _stack(code: types.CodeType, callers: Sequence[_Caller]) -> tuple[StackFrame, ...]:
    """The stack down to the function that is about to be compiled, outermost first."""
    begin = StackFrame(code.co_filename, code.co_firstlineno, code.co_name)
    return (*map(_exact_frame, reversed(callers)), begin)


def _exact_frame(frame: _Caller) -> StackFrame:
    """With the expression that it is at: several calls can stand on one line."""
    code = frame.code
    place = code.co_filename, frame.line or 0, code.co_name
    positions = itertools.islice(code.co_positions(), max(frame.instruction, 0) // 2, None)
    line, end_line, start, end = next(positions, (None, None, None, None))
    if line is None or end_line is None or start is None or end is None:
        return StackFrame(*place)
    return in_characters(*place, end_line, start, end)


def _modules(names: Iterable[str], follow: _Follow) -> Iterator[str]:
    """The owners of the last attributes in some sources that are modules."""
    for name in names:
        path = name
        while (cut := max(path.rfind("."), path.rfind("["))) > 0:
            path = path[:cut]
            if isinstance(follow(path), torch.nn.Module):
                yield path


def _follow(scope: _Scope, name: str) -> Any:
    """The object that a source leads to, or `_MISSING`."""
    try:
        return _value(ast.parse(name, mode="eval").body, scope)
    except (SyntaxError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return _MISSING


def _value(node: ast.expr, scope: _Scope) -> Any:
    match node:
        case ast.Name(id="G"):
            return scope[1]
        case ast.Name():
            return scope[0][node.id]
        case ast.Attribute():
            return _attribute(_value(node.value, scope), node.attr)
        case ast.Subscript(slice=ast.Constant(value=key)):
            return _item(_value(node.value, scope), key)
        case ast.Call(func=func, args=[]):
            return _called(func, scope)
        case ast.Call(args=[argument]):  # `list(dict.keys(d))`, `___from_numpy(x)`
            return _value(argument, scope)
    raise ValueError(ast.dump(node))


def _called(func: ast.expr, scope: _Scope) -> Any:
    """The sizes of a tensor, or what a weak reference leads to; nothing else is called."""
    if isinstance(func, ast.Attribute) and func.attr == "size":
        return tuple(torch.Tensor.size(_value(func.value, scope)))
    reference = _value(func, scope)
    if type(reference) is not weakref.ref:
        raise TypeError(reference)
    return reference()


def _attribute(owner: Any, name: str) -> Any:
    if name in _TRANSPARENT and isinstance(
        owner, (*FUNCTIONS, types.CellType, functools.partial, range, slice, type)
    ):
        return getattr(owner, name)
    own = own_attributes(owner)
    if name in own:
        return own[name]
    if isinstance(owner, torch.nn.Module):
        for inner in ("_parameters", "_buffers", "_modules"):
            if name in own.get(inner, {}):
                return own[inner][name]
    found = inspect.getattr_static(owner, name)
    if isinstance(found, types.MemberDescriptorType):  # a slot
        return found.__get__(owner)
    if hasattr(type(found), "__get__") and not isinstance(found, types.FunctionType):
        raise AttributeError(name)  # a property: the program's own code
    return found


def _item(owner: Any, key: object) -> Any:
    kinds: tuple[tuple[Any, type], ...] = ((dict, object), (list, int), (tuple, int))
    for kind, keys in kinds:
        if isinstance(owner, kind) and isinstance(key, keys):
            return kind.__getitem__(owner, key)
    raise TypeError(key)
