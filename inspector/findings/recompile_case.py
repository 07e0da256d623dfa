"""Recompilations of one function for one reason, and where a fix would go."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.findings.call_site import CallSite, user_spelling
from inspector.model.recompile import Recompile, RecompileClass, SymbolUse
from inspector.model.roots import Roots
from inspector.model.stack import StackFrame, user_frame

__all__ = [
    "FixCase",
    "dynamic_sources",
    "environment",
    "is_zero_one",
    "kept_fix",
    "specialized_fix",
    "tensor_of",
]

_LOOP = re.compile(r"\bfor\b.+\bin\b")
_ZERO_ONE_VALUE = re.compile(r"(?:^|= )[01](?:$|,)")
_BASE = re.compile(r"\._base\b")
_ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"
_DYNAMIC = frozenset(
    [RecompileClass.SIZE, RecompileClass.RANK, RecompileClass.INT, RecompileClass.FLOAT,
     RecompileClass.SYMBOLIC_SHAPE]
)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class FixCase:
    """Recompilations of one function for one reason.

    Attributes:
        items: They, in order; never none.
        site: Where the function is called from, and what is passed there.
        function: The function's name.
        roots: Whose code a file is.
        history: All recompilations of the function, in order.
        kept_over: Where the graph broke over which the value was kept, or None.
    """

    items: tuple[Recompile, ...]
    site: CallSite
    function: str
    roots: Roots
    history: tuple[Recompile, ...] = ()
    kept_over: StackFrame | None = None

    @property
    def first(self) -> Recompile:
        """The first of them."""
        return self.items[0]

    @property
    def name(self) -> str:
        """What changes as the user would write it in the function."""
        return user_spelling(re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", self.first.name))

    @property
    def kept(self) -> str:
        """What is kept over a graph break: a local's name, or what has none."""
        return "a value" if self.name.startswith("(") else self.name

    @property
    def passed(self) -> str:
        """What changes as the caller writes it, or as the function does."""
        return self.site.expression or self.name

    @property
    def before_call(self) -> str:
        """Where a line goes that has to run before the call."""
        frame = self.site.frame
        if frame is None:
            return f"before {self.function} is called"
        return f"before the call at {self.place(frame)}"

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

    @property
    def dimensions(self) -> str:
        """All dimensions of this tensor that changed, as `mark_dynamic` takes them.

        Sizes 0 and 1 are left out: a dimension of theirs cannot be marked.
        """
        found = {int(self.dimension)}
        for item in self.history:
            same = item.kind is RecompileClass.SIZE and item.name == self.first.name
            if same and not is_zero_one(item):
                found.update(item.dimensions)
        return str(sorted(found)) if len(found) > 1 else self.dimension


def is_zero_one(item: Recompile) -> bool:
    """Whether a size of 0 or 1 is on one side: these get a graph of their own in any case."""
    sides = [value.text for value in (item.before, item.now) if value is not None]
    if item.kind is RecompileClass.SIZE:
        return any(text in {"0", "1"} for text in sides)
    if item.kind is RecompileClass.SYMBOLIC_SHAPE:
        now = item.now.text if item.now else ""
        return "0/1 specialization" in item.comment and bool(_ZERO_ONE_VALUE.search(now))
    return False


def dynamic_sources(items: Sequence[Recompile]) -> tuple[str, ...]:
    """The value for ``TORCH_COMPILE_DYNAMIC_SOURCES``: torch's own where it gave one.

    Torch lists all sources of a function that changed; of those, what failed here comes first. The
    base of a view is left out: it is no input, and a size of it that is dynamic is one more guard,
    which fails where the input is no view.
    """
    own = [tensor_of(item.source) for item in items if item.kind in _DYNAMIC and item.source]
    given = [source for item in items for source in item.whitelist]
    return tuple(source for source in dict.fromkeys((*own, *given)) if not _BASE.search(source))


def tensor_of(source: str) -> str:
    """The tensor of a size or a stride; any other source as it is."""
    return re.sub(r"\.(?:size|stride)\(\)\[\d+\]$", "", source)


def environment(case: FixCase) -> str:
    """The environment variable that makes it dynamic, as a sentence."""
    sources = ",".join(dynamic_sources(case.items))
    return f'Without a change of the source: {_ENVIRONMENT}="{sources}" in the environment.'


def specialized_fix(case: FixCase, use: SymbolUse) -> str:
    """What to do about a line that makes a size a constant."""
    frame = user_frame(use.guarded, case.roots)
    where = f" at {case.place(frame)}" if frame else ""
    code = f" (`{frame.code.strip()}`)" if frame and frame.code else ""
    if case.first.kind in {RecompileClass.INT, RecompileClass.FLOAT}:
        return (
            f"{case.name} is made the constant {use.specialized}{where}{code}, which needs its "
            f"value, so that each value is a program of its own: choose among functions that are "
            f"compiled for one value each {case.before_call}, or raise "
            "torch._dynamo.config.recompile_limit where the values are few."
        )
    if frame and _LOOP.search(frame.code):
        return (
            f"The loop{where}{code} is unrolled, so that each size is a program of its own: write "
            f"it as operators over the whole of {case.name}, or pad {case.name} to one size."
        )
    return (
        f"The size is made the constant {use.specialized}{where}{code}: no mark helps until that "
        f"line works for any size. Compare with >= instead of ==, or take the sizes of what is "
        f"made there from {case.name}.shape."
    )


def kept_fix(case: FixCase) -> Iterator[str]:
    """What to do about a value that a graph break hands on."""
    where = case.place(case.kept_over) if case.kept_over else "the line before"
    yield (
        f"Remove the graph break at {where}: {case.kept} is kept over it as an input of what is "
        "compiled behind it, and would be none of one graph."
    )
    if case.first.kind in _DYNAMIC:
        yield environment(case)
