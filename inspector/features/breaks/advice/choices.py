"""A branch on a tensor as `torch.where`, in the user's words, and under which conditions."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

from inspector.features.breaks.advice.branch_values import Chosen, chosen_between
from inspector.features.breaks.advice.choice_code import LONGEST, ChoiceMaker, tensor_names
from inspector.features.breaks.advice.edits import statements_instead_of
from inspector.features.breaks.advice.effects import without_writing, writes
from inspector.report.user_code.code import Code, called
from inspector.shared.edit import Edit

_NEW = "; it makes a new tensor, also where the branch keeps the old one."
CHOSEN = f"if both are finite tensors of one shape and dtype{_NEW}"
"""When `Choices` without conditions may be taken."""


@dataclasses.dataclass(slots=True)
class Choices:
    """What stands in the place of a branch.

    Attributes:
        lines: The statements.
        within: What they stand in, as the part of the condition that is about no tensor; or empty.
        instead_of: The statement below that the one line replaces, where the branch goes; or empty.
        conditions: Sentences about what has to be so, beyond what is said of every choice.
        is_finite: Whether what is computed is finite, and its gradient, for any input.
        only_one: The statement that computes one side alone, by `torch.cond`; or empty.
    """

    lines: list[str] = dataclasses.field(default_factory=list)
    within: str = ""
    instead_of: str = ""
    replaced: ast.Return | None = None
    conditions: list[str] = dataclasses.field(default_factory=list)
    is_finite: bool = True
    only_one: str = ""

    @classmethod
    def of(
        cls, code: Code, scalars: Mapping[str, str] | None = None, *, guards: bool = False
    ) -> Self | None:
        """What stands in the place of a branch that only chooses between tensors.

        Args:
            guards: Whether it divides by what is not 0 on the other side: to be put into the file.

        Returns:
            None for a branch that does more, or of which that is not certain.
        """
        found = chosen_between(code)
        if found is None or _writes_outside(code):
            return None
        test, chosen = found
        names = {**tensor_names(code, test), **(scalars or {})}
        maker = ChoiceMaker(code, names, guards=guards)
        within, condition = maker.apart(test, returns=chosen[0].target == "return ")
        made = cls(within=within)
        if not condition or not made.add(maker, condition, chosen):
            return None
        if len(chosen) == 1 and not made.instead_of and not within:
            made.only_one = maker.cond(condition, chosen[0])
        made.is_finite = maker.is_finite
        made.conditions = [
            *_of_calls(maker.calls, made.only_one),
            *_of_writes(code),
            *_of_state(chosen),
        ]
        if not made.is_finite:
            made.conditions.insert(0, _not_finite(maker.divisions))
        return made

    def add(self, maker: ChoiceMaker, condition: str, chosen: Sequence[Chosen]) -> bool:
        """Adds the statements; False where one of them is not certain, or too long."""
        if len(chosen) > 1:
            # It may be made of what the first of them gives anew.
            name = maker.new_name()
            self.lines.append(f"{name} = {condition}")
            condition = name
        for each in chosen:
            value = maker.where(condition, each.then, each.otherwise, each.target)
            line = f"{each.target}{value}"
            if not condition or not value or len(line) > LONGEST or "\n" in line:
                return False
            self.lines.append(line)
            if each.replaced is not None:
                self.replaced = each.replaced
                self.instead_of = maker.code.shown(each.replaced) or ast.unparse(each.replaced)
        return True

    def edits(self, code: Code) -> tuple[Edit, ...]:
        """All of it, put into the file."""
        if self.replaced is None:
            return statements_instead_of(code, code.statement, self.lines, within=self.within)
        return (
            *statements_instead_of(code, code.statement, ()),
            *statements_instead_of(code, self.replaced, self.lines),
        )

    @property
    def said(self) -> str:
        """All of it, as sentences."""
        *others, last = [f"`{line}`" for line in self.lines]
        lines = f"{', '.join(others)} and {last}" if others else last
        what = "finite tensors" if self.is_finite else "tensors"
        is_new = not all(line.partition(" = ")[0].endswith("]") for line in self.lines)
        when = f"if both are {what} of one shape and dtype{_NEW if is_new else '.'}"
        more = "".join(f" {sentence}" for sentence in self.conditions)
        if self.instead_of:
            return (
                f"Leave the branch out, and choose at the end: {lines} instead of "
                f"`{self.instead_of}`, {when} What is below the branch runs in any case.{more}"
            )
        if self.within:
            return f"Below `{self.within}` alone, compute both and choose: {lines}, {when}{more}"
        return f"Compute both and choose: {lines}, {when}{more}"


def _writes_outside(code: Code) -> bool:
    """Whether something is written in place that the branch itself does not write, nor counts."""
    inside = {id(node) for node in ast.walk(code.statement or ast.Pass())}
    outside = (node for node in code.walk() if id(node) not in inside)
    return any(writes(node) and not _counts(node) for node in outside)


def _counts(node: ast.AST) -> bool:
    """``i += 1``."""
    match node:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=ast.Constant(value=int())):
            return True
    return False


def _of_calls(calls: Sequence[str], only_one: str) -> list[str]:
    shown = [f"`{call}`" for call in calls]
    if not shown:
        return []
    which = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    runs = "runs" if len(shown) == 1 else "run"
    said = "may not write anywhere, draw random numbers or update statistics."
    # Inductor's code asks for the value of the condition, and then runs one of the two
    # (`codegen_conditional` in torch/_inductor/codegen/wrapper.py, 2.11 to 2.13).
    longer = (
        f" If {which} {'takes' if len(shown) == 1 else 'take'} longer than the wait for the "
        "condition (on a GPU some µs), use `torch.cond`, which runs one side only."
    )
    return [f"{which} {runs} in any case, and {said}{longer if only_one else ''}"]


def _of_writes(code: Code) -> list[str]:
    """About names whose tensor a side writes in place: others may know it."""
    names = []
    for node in ast.walk(code.statement) if isinstance(code.statement, ast.If) else ():
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.Expr(value=ast.Call() as call) if new := without_writing(call):
                names.append(new[0])
    return [
        f"Nothing but `{name}` may refer to its tensor, which the branch writes in place."
        for name in dict.fromkeys(names)
    ]


def _of_state(chosen: Sequence[Chosen]) -> list[str]:
    """About what outlives the call."""
    kept = [each for each in chosen if "." in each.target and "[" not in each.target]
    names = [
        each.target.removesuffix(" = ")
        for each in kept
        if each.target != "return " and not all(map(_is_detached, (each.then, each.otherwise)))
    ]
    return [
        f"`{name}` is then made of its last value: keep it without gradients, or each call's graph "
        "holds the one before."
        for name in names
    ]


def _is_detached(value: ast.expr) -> bool:
    """Whether it is what was kept, or visibly has no gradient."""
    return isinstance(value, ast.Attribute) or called(value) == "detach"


def _not_finite(divisions: Sequence[tuple[str, str]]) -> str:
    how = "choose what goes in first, as in `torch.where(condition, x, 1)`"
    if divisions:
        whole, safe = divisions[0]
        how = f"divide by `{safe}` in `{whole}`"
    return (
        "Where one of them, or its gradient, is infinite or NaN for what it is not meant for, the "
        f"gradient is NaN: {how}, then."
    )
