"""Recompilations of one function for one reason, and where a fix would go."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence

from inspector.findings.call_site import CallSite, Passed, user_spelling
from inspector.findings.lost_marks import LostMark
from inspector.findings.recompile_multiplied import Multiplied
from inspector.findings.recompile_wrapped import on_stack, stack_name, unwrapped
from inspector.findings.wording import listed
from inspector.model.closure_name import ClosureName
from inspector.model.recompile import Recompile, RecompileClass, SymbolUse
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame

__all__ = [
    "EMPTY_GRAPHS",
    "ENVIRONMENT",
    "NOTHING_NEEDED",
    "FixCase",
    "dynamic_sources",
    "environment",
    "is_of_set",
    "is_zero_one",
    "kept_fix",
    "kept_together",
    "specialized_fix",
    "tensor_of",
    "with_method",
]

_LOOP = re.compile(r"\bfor\b.+\bin\b")
_LOOP_AND_BODY = re.compile(r"\s*for\b[^:]+\bin\b[^:]*:\s*[^\s#]")  # it may be the body's line
_EQUALITY = re.compile(r"[=!]=")
_ZERO_ONE_VALUE = re.compile(r"(?:^|= )[01](?:$|,)")
# The base of a view; what a graph break keeps on the stack, which is no input that torch knows.
_NO_INPUT = re.compile(r"\._base\b|\b___stack\d")
_RESUMED = re.compile(r" resumed at line \d+$")
ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"
"""Torch's environment variable for what is dynamic from the first call on."""
EMPTY_GRAPHS = "torch._dynamo.config.allow_empty_graphs = True"
"""What keeps torch 2.11 to 2.13 from skipping a function that met no operator in one call."""
NOTHING_NEEDED = "Nothing is needed for further calls. "
"""Of what became dynamic: only the first value was compiled for itself."""
_FLOAT = RecompileClass.FLOAT
_MOST_LIKEWISE = 6
_MOST_BY_CHANCE = 3
_NAMED = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_DYNAMIC = frozenset({*_NAMED, RecompileClass.RANK, RecompileClass.SYMBOLIC_SHAPE})


@dataclasses.dataclass(frozen=True, slots=True)
class FixCase:
    """Recompilations of one function for one reason.

    Attributes:
        items: They, in order; never none.
        site: Where the function is called from, and what is passed there.
        function: The function's name.
        roots: Whose code a file is.
        history: All recompilations of the function, in order.
        behind: Where the graph broke behind which the function goes on, or None.
        handed_on: The names of what was kept over that break, of all that changed.
        on_stack: What the user wrote for ``___stack0`` and those behind it, as far as it is known.
        lost: A mark that what is passed has lost, or None.
        elsewhere: Other lines that call it and made it recompile.
        multiplied: What is told apart together with it, or None.
        set_at: The line at which the function itself sets what changes, or None.
        file: The function's file.
        apart_by: The graph break in a compiled caller for which the function is compiled on its
            own, or None.
    """

    items: tuple[Recompile, ...]
    site: CallSite
    function: str
    roots: Roots
    history: tuple[Recompile, ...] = ()
    behind: StackFrame | None = None
    handed_on: frozenset[str] = frozenset()
    on_stack: tuple[str, ...] = ()
    lost: LostMark | None = None
    elsewhere: tuple[StackFrame, ...] = ()
    multiplied: Multiplied | None = None
    set_at: StackFrame | None = None
    file: str = ""
    apart_by: StackFrame | None = None

    @property
    def first(self) -> Recompile:
        """The first of them."""
        return self.items[0]

    @property
    def called(self) -> str:
        """The function as it is called: of what goes on behind a graph break, the user's own."""
        return _RESUMED.sub("", self.function)

    @property
    def name(self) -> str:
        """What changes as the user would write it in the function."""
        if self.site.parameters.is_wrapper:
            return self.argument.written or user_spelling(unwrapped(self.first).name)
        return user_spelling(re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", self.first.name))

    @property
    def kept_over(self) -> StackFrame | None:
        """Where the graph broke over which the value was kept, or None."""
        return self.behind if self.is_kept(self.first.name) else None

    @property
    def kept(self) -> str:
        """What is kept over a graph break: a local's name, or what has none."""
        return self.kept_name(self.first.name)

    def is_kept(self, name: str) -> bool:
        """Whether a graph break handed on what changed, by its name as reasons have it."""
        return name in self.handed_on or "___stack" in name

    def kept_name(self, name: str) -> str:
        """The same as `kept`, of anything that changed."""
        name = stack_name(tensor_of(name), self.on_stack)
        return "a value" if "___stack" in name else user_spelling(name)

    def shown(self, item: Recompile) -> Recompile:
        """With the names that a reader of the function has."""
        known = on_stack(item, self.on_stack)
        return unwrapped(known) if self.site.parameters.is_wrapper else known

    @property
    def is_on_stack(self) -> bool:
        """Whether a graph break kept it where it has no name."""
        return "___stack" in self.first.name

    @property
    def argument(self) -> Passed:
        """What the caller passes for what changes."""
        return self.site.passed(tensor_of(self.first.name))

    @property
    def passed(self) -> str:
        """What changes as the caller writes it, or as the function does."""
        return self.argument.written or self.name

    def shown_name(self, name: str) -> str:
        """Anything that changed as the user would write it in the function."""
        is_wrapper = self.site.parameters.is_wrapper
        given = self.site.passed(name).written if is_wrapper else ""
        return given or user_spelling(tensor_of(name))

    def converted(self, method: str) -> str:
        """A sentence that has the caller pass something else: ``Write a = a.t() before …``."""
        closed = ClosureName.of(self.name)
        if closed:
            own = closed.expression
            return f"Write {own} = {own}{method} where the variable of {closed.function} is set."
        given = self.argument
        if given.whole or self.site.frame is None:
            name = given.whole or self.name
            return f"Write {name} = {name}{method} {self.before_call}."
        where = f"in the call at {self.place(self.site.frame)}"
        if given.text and not given.path:
            return f"Pass {with_method(given.text, method)} {where}."
        what = given.text or f"what is passed as {given.parameter}"
        own = self.site.free(given.parameter)
        name = own + given.path
        return (
            f"Give {what} a name first, {own} say, write {name} = {name}{method} "
            f"{self.before_call}, and pass {own}."
        )

    def converted_all(self, method_of: Callable[[str], str]) -> str:
        """The same for every tensor that changed in this way: to convert one helps in nothing.

        Args:
            method_of: What to call, out of what the guard wants (``Float``).
        """
        first = self.first.before.text if self.first.before else ""
        wanted = {tensor_of(self.first.name): first}
        for item in self.items:
            for change in item.changes:
                if change.kind is self.first.kind:
                    wanted.setdefault(tensor_of(change.name), change.before)
        text = self.converted(method_of(first))
        others = list(wanted)[1:]
        if not others:
            return text
        passed = {name: self.site.passed(name).whole for name in wanted}
        if all(passed.values()):
            lines = [f"{passed[name]} = {passed[name]}{method_of(wanted[name])}" for name in wanted]
            return f"Write {'; '.join(lines)} {self.before_call}."
        shown = [f"{_expression(name)}{method_of(wanted[name])}" for name in others]
        return f"{text.removesuffix('.')}, and likewise {listed(shown, _MOST_LIKEWISE)}."

    @property
    def is_always_new(self) -> bool:
        """Whether the function itself sets it, and each compilation found another value."""
        found = [item.now.text for item in self.items if item.now]
        first = self.first.before.text if self.first.before else ""
        is_new = len({first, *found}) == 1 + len(found) > _MOST_BY_CHANCE
        return self.set_at is not None and is_new

    @property
    def by_call(self) -> str:
        """Where a line goes that has to run in the caller."""
        return f"by {self._the_call}"

    @property
    def behind_call(self) -> str:
        """Where a line goes that has to run behind the call."""
        return f"behind {self._the_call}"

    @property
    def _the_call(self) -> str:
        frame = self.site.frame
        return f"the call at {self.place(frame)}" if frame else "the call"

    @property
    def before_call(self) -> str:
        """Where a line goes that has to run before the call."""
        frame = self.site.frame
        if frame is None:
            return f"before {self.called} is called"
        others = listed([self.place(other) for other in self.elsewhere], 3)
        likewise = f", and likewise at {others}" if others else ""
        return f"before the call at {self.place(frame)}{likewise}"

    @property
    def at_call(self) -> str:
        """Where something else is passed."""
        frame = self.site.frame
        return f"in the call at {self.place(frame)}" if frame else "in every call"

    def is_own(self, name: str) -> bool:
        """Whether a source is none of the function's parameters: a variable around it."""
        known = self.site.parameters
        names = {*known.names, known.star, known.keywords} - {""}
        base = re.match(r"\w+", name)
        return bool(names) and base is not None and base[0] not in names

    def place(self, frame: StackFrame) -> str:
        """``file:line`` of a frame as a person sees it."""
        return f"{self.roots.shown(frame.file)}:{frame.line}"

    @property
    def dimension(self) -> str:
        """The dimension that changes, as a number; of a symbolic size, out of its source."""
        if self.first.index is not None:
            return str(self.first.index)
        match = re.search(r"\.size\(\)\[(\d+)\]$", self.first.name)
        return match[1] if match else "0"


def with_method(text: str, method: str) -> str:
    """A method behind an expression: ``(w * 2).detach()``."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text + method
    is_whole = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return text + method if is_whole or not method else f"({text}){method}"


def _expression(name: str) -> str:
    closed = ClosureName.of(name)
    return closed.expression if closed else user_spelling(name)


def is_zero_one(item: Recompile) -> bool:
    """Whether a size of 0 or 1 is on one side: these get a graph of their own in any case."""
    sides = [value.text for value in (item.before, item.now) if value is not None]
    if item.kind is RecompileClass.SIZE:
        return any(text in {"0", "1"} for text in sides)
    if item.kind is RecompileClass.SYMBOLIC_SHAPE:
        now = item.now.text if item.now else ""
        return "0/1 specialization" in item.comment and bool(_ZERO_ONE_VALUE.search(now))
    return False


def is_of_set(item: Recompile) -> bool:
    """Whether it is about what is in a set."""
    before = item.before.text if item.before else ""
    is_literal = item.kind is RecompileClass.KEYS and before.startswith(("{", "set(", "frozenset("))
    return is_literal or item.guard.removeprefix("not ").startswith("set.__contains__(")


def dynamic_sources(
    items: Sequence[Recompile], history: Sequence[Recompile] = ()
) -> tuple[str, ...]:
    """The value for ``TORCH_COMPILE_DYNAMIC_SOURCES``: torch's own where it gave one.

    Torch lists all sources of a function that changed; of those, what failed here comes first. The
    base of a view is left out: it is no input, and a size of it that is dynamic is one more guard,
    which fails where the input is no view. So is what a graph break keeps on the stack. So are
    floats: torch takes no notice of them there (`wrap_symfloat` in
    torch/_dynamo/variables/builder.py, 2.13; tried).

    Args:
        items: The recompilations that it is for.
        history: All of the function, which tell what is a float.
    """
    every = (*items, *history)
    own = [tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    also = [
        tensor_of(change.source)
        for item in items
        for change in item.changes
        if change.kind in _NAMED and not change.is_zero_one and change.specialized is None
    ]
    given = [source for item in items for source in item.whitelist]
    floats = {change.source for item in every for change in item.changes if change.kind is _FLOAT}
    floats |= {item.source for item in every if item.kind is _FLOAT}
    found = dict.fromkeys((*own, *also, *given))
    return tuple(
        source for source in found if source not in floats and not _NO_INPUT.search(source)
    )


def tensor_of(source: str) -> str:
    """The tensor of a size or a stride; any other source as it is."""
    return re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", source)


def environment(case: FixCase) -> str:
    """The environment variable that makes it dynamic, as a sentence; empty for floats alone."""
    sources = ",".join(dynamic_sources(case.items, case.history))
    if not sources:
        return ""
    return f'Without a change of the source: {ENVIRONMENT}="{sources}" in the environment.'


def specialized_fix(case: FixCase, use: SymbolUse) -> str:
    """What to do about a line that makes a size a constant."""
    frame = user_frame(use.guarded, case.roots)
    where = f" at {case.place(frame)}" if frame else ""
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    if case.first.kind in {RecompileClass.INT, RecompileClass.FLOAT}:
        return (
            f"{case.name} is made the constant {_number(use.specialized)}{where}{code}, which "
            "needs its value, so that each value is a program of its own: choose among functions "
            f"that are compiled for one value each {case.before_call}, or raise "
            "torch._dynamo.config.recompile_limit where the values are few."
        )
    if frame and _LOOP.search(frame.code) and not _LOOP_AND_BODY.match(frame.code):
        return (
            f"The loop{where}{code} is unrolled, so that each size is a program of its own: write "
            f"it as operators over the whole of {case.name}, or pad {case.name} to one size."
        )
    if frame and _EQUALITY.search(frame.code):
        return (
            f"The line{where}{code} treats a size apart, so that {use.specialized} is a program of "
            "its own: it is compiled once, and then found; no mark helps. To have one program, "
            "write that line so that it does the same for every size."
        )
    if frame and re.search(rf"\b{re.escape(use.specialized or '')}\b", frame.code):
        return (
            f"The size is made the constant {use.specialized}{where}{code}: no mark helps until "
            f"that line works for any size. Take it from {case.name}.shape there, in place of "
            f"{use.specialized}."
        )
    return (
        f"The size is made the constant {use.specialized}{where}{code}, and each size is compiled "
        "once. A mark of it alone does not help: what it meets in that line has to be marked, too "
        "(another input of that size), or the line has to work for any size. Where it has to match "
        "a weight, that is so by its nature."
    )


def _number(text: str | None) -> str:
    """A number as Python writes it, where torch's has all digits that a float could have."""
    try:
        return repr(float(text or "")) if "." in (text or "") else str(text)
    except ValueError:
        return str(text)


def kept_fix(case: FixCase) -> Iterator[str]:
    """What to do about a value that a graph break hands on."""
    yield kept_together(case, (case.first,))
    if case.first.kind in _DYNAMIC and not case.is_on_stack:
        yield environment(case)


def _sized(item: Recompile) -> Iterator[str]:
    """The tensors whose sizes changed with it, which are told as one change."""
    if item.kind is RecompileClass.SIZE:
        yield from (change.name for change in item.changes if change.kind is item.kind)


def kept_together(case: FixCase, items: Sequence[Recompile]) -> str:
    """What to do about several values that one graph break hands on."""
    where = case.place(case.behind) if case.behind else "the line before"
    every = [name for item in items for name in (item.name, *_sized(item)) if case.is_kept(name)]
    names = tuple(dict.fromkeys(map(case.kept_name, every)))
    one = len(names) == 1
    kept = (
        f"{names[0]} is kept over it as an input"
        if one
        else (f"{listed(names, _MOST_LIKEWISE)} are kept over it as inputs")
    )
    return (
        f"Remove the graph break at {where}: {kept} of what is compiled behind it, and would be "
        "none of one graph."
    )
