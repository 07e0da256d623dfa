"""Recompilations of one function for one reason, and where a fix would go."""

import ast
import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from inspector.report.user_code.call_site import CallSite, Passed, user_spelling
from inspector.report.wording import listed
from inspector.run.closure_name import ClosureName
from inspector.run.dynamic_sources import tensor_of
from inspector.run.graph_break import GraphBreak
from inspector.run.recompile import Recompile, RecompileClass
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame

_ZERO_ONE_VALUE = re.compile(r"(?:^|= )[01](?:$|,)")
_RESUMED = re.compile(r" resumed at line \d+$")
_MOST_LIKEWISE = 6
_BOOLS = frozenset({"True", "False", "bool"})
_MOST_BY_CHANCE = 3


@dataclasses.dataclass(frozen=True, slots=True)
class FixCase:
    """Recompilations of one function for one reason.

    Attributes:
        behind: Where the graph broke before the function resumes, or None.
        handed_on: The names of what was kept over that break, of all that changed.
        first_site: The line that called it first, where that is another one, or None.
        set_at: The line at which the function, or its own method, sets what changes, or None.
        grown: The lines at which it makes containers longer that change, by their names.
        has_breaks: Whether the graph broke in the function, and went on in another one.
        separating_break: The graph break in a compiled caller for which the function is compiled
            on its own, or None.
        skipped_by: The graph break for which Dynamo makes no graph of the function any more, or
            None.
    """

    items: tuple[Recompile, ...]
    site: CallSite
    function: str
    roots: Roots
    history: tuple[Recompile, ...] = ()
    behind: StackFrame | None = None
    handed_on: frozenset[str] = frozenset()
    elsewhere: tuple[StackFrame, ...] = ()
    first_site: CallSite | None = None
    set_at: StackFrame | None = None
    grown: Mapping[str, StackFrame] = dataclasses.field(default_factory=dict)
    has_breaks: bool = False
    file: str = ""
    separating_break: StackFrame | None = None
    skipped_by: GraphBreak | None = None

    @property
    def first(self) -> Recompile:
        """The first of them."""
        return self.items[0]

    @property
    def before(self) -> str:
        """What the first of them had, or an empty string."""
        return self.first.before

    @property
    def now(self) -> str:
        """What it has now, likewise."""
        return self.first.now

    @property
    def called(self) -> str:
        """The function as it is called: of what resumes after a graph break, the user's own."""
        return _RESUMED.sub("", self.function)

    @property
    def name(self) -> str:
        """What changes as the user would write it in the function."""
        if self.site.parameters.is_wrapper:
            return self.argument.written or user_spelling(unwrapped(self.first).name)
        return user_spelling(re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", self.first.name))

    @property
    def crossed_break(self) -> StackFrame | None:
        """Where the graph broke over which the value was kept, or None."""
        return self.behind if self.is_kept(self.first.name) else None

    def is_kept(self, name: str) -> bool:
        """Whether a graph break handed on what changed, by its name as reasons have it."""
        return name in self.handed_on or "___stack" in name

    def crossing_name(self, name: str) -> str:
        """The same as `kept`, of anything that changed."""
        return "a value" if "___stack" in name else user_spelling(tensor_of(name))

    def shown(self, item: Recompile) -> Recompile:
        """With the names that a reader of the function has."""
        return unwrapped(item) if self.site.parameters.is_wrapper else item

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
        what = given.text or f"the argument {given.parameter}"
        own = f"{given.parameter}_given"
        name = own + given.path
        return (
            f"Assign {what} to a variable first, such as {own}. Write {name} = {name}{method} "
            f"{self.before_call}, and pass {own}."
        )

    def converted_all(self, method_of: Callable[[str], str]) -> str:
        """The same for every tensor that changed in this way: to convert one helps in nothing."""
        wanted = {tensor_of(self.first.name): self.before}
        for item in self.items:
            for change in item.changes:
                if change.kind is self.first.kind:
                    wanted.setdefault(tensor_of(change.name), change.before)
        text = self.converted(method_of(self.before))
        if len(wanted) == 1:
            return text
        passed = {name: self.site.passed(name).whole for name in wanted}
        if all(passed.values()):
            lines = [f"{passed[name]} = {passed[name]}{method_of(wanted[name])}" for name in wanted]
            return f"Write {'; '.join(lines)} {self.before_call}."
        shown = []
        for name in list(wanted)[1:]:
            closed = ClosureName.of(name)
            expression = closed.expression if closed else user_spelling(name)
            shown.append(f"{expression}{method_of(wanted[name])}")
        return f"{text.removesuffix('.')}, and likewise {listed(shown, _MOST_LIKEWISE)}."

    @property
    def is_always_new(self) -> bool:
        """Whether the function itself sets it, and each compilation found another value."""
        found = [item.now for item in self.items if item.now]
        is_new = len({self.before, *found}) == 1 + len(found) > _MOST_BY_CHANCE
        return self.set_at is not None and is_new

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
    def before_first_call(self) -> str:
        """The same of the first one of them, whose marks hold for all that follow."""
        if self.site.frame is None:
            return f"before the first call of {self.called}"
        return self.before_call.replace("the call", "the first call", 1)

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

    def line(self, frame: StackFrame) -> str:
        """The same with the line's code, where that is known."""
        code = f" (`{frame.code.strip()}`)" if frame.code else ""
        return self.place(frame) + code


Facts: TypeAlias = Mapping[str, Callable[[FixCase], object]]
"""What ``recompile_fixes.md`` asks for, by the name that it has there."""


def with_method(text: str, method: str) -> str:
    """A method behind an expression: ``(w * 2).detach()``."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text + method
    is_whole = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return text + method if is_whole or not method else f"({text}){method}"


def is_zero_one(item: Recompile) -> bool:
    """Whether a size of 0 or 1 is on one side: these get a graph of their own in any case."""
    if item.kind is RecompileClass.SIZE:
        return not {"0", "1"}.isdisjoint({item.before, item.now})
    if item.kind is RecompileClass.SYMBOLIC_SHAPE:
        return "0/1 specialization" in item.comment and bool(_ZERO_ONE_VALUE.search(item.now))
    return False


def is_bool_and_tensor(item: Recompile) -> bool:
    """Whether it is a Python bool on one side and a tensor on the other."""
    sides = {item.before, item.now}
    is_tensor = any(text.startswith("a tensor") for text in sides)
    return item.kind is RecompileClass.TYPE and is_tensor and not sides.isdisjoint(_BOOLS)


def is_of_set(item: Recompile) -> bool:
    """Whether it is about what is in a set."""
    literal = ("{", "set(", "frozenset(")
    is_literal = item.kind is RecompileClass.KEYS and item.before.startswith(literal)
    return is_literal or item.guard.removeprefix("not ").startswith("set.__contains__(")


def unwrapped(item: Recompile) -> Recompile:
    """The names of `inner(*args, **kwargs)`, which calls `fn`, for a reader of the module."""

    def named(name: str) -> str:
        name = re.sub(r"^args\[(\d+)\]", r"argument \1", name)
        name = re.sub(r"^kwargs\['(\w+)'\]", r"\1", name)
        return re.sub(r"^fn\b", item.wraps.rpartition(".")[2], name)

    replace = dataclasses.replace
    equal, other = item.equal_sizes, item.other_instance
    if equal is not None:
        changed, kept = (tuple(map(named, sizes)) for sizes in (equal.changed, equal.kept))
        equal = replace(equal, changed=changed, kept=kept)
    return replace(
        item,
        name=named(item.name),
        changes=tuple(replace(each, name=named(each.name)) for each in item.changes),
        equal_sizes=equal,
        other_instance=other and replace(other, name=named(other.name)),
    )
