"""A branch on a tensor as `torch.where`, in the user's words, and under which conditions."""

import ast
import dataclasses
from collections.abc import Sequence
from typing import Self

from inspector.features.breaks.advice.branch_values import Chosen, branch_choices
from inspector.features.breaks.advice.choice_code import LONGEST, ChoiceMaker, tensor_names
from inspector.features.breaks.advice.effects import writes
from inspector.report.user_code.code import Code

_WHEN = "if both are tensors of the same shape and dtype, with finite values and gradients"
_NEW = ". The result is a new tensor, even where the branch keeps the old one."


@dataclasses.dataclass(slots=True)
class Choices:
    """What replaces a branch.

    Attributes:
        conditions: Sentences about what has to be so, beyond what is said of every choice.
    """

    lines: list[str] = dataclasses.field(default_factory=list)
    conditions: list[str] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, code: Code) -> Self | None:
        """What replaces a branch that only chooses between tensors.

        Returns:
            None for a branch that does more, or of which that is not certain.
        """
        found = branch_choices(code)
        if found is None or _writes_outside(code):
            return None
        test, chosen = found
        maker = ChoiceMaker(code, tensor_names(code, test))
        condition = maker.condition(test)
        made = cls()
        if not condition or not made.add(maker, condition, chosen):
            return None
        made.conditions = [*_of_calls(maker.calls), *_of_writes(code)]
        return made

    def add(self, maker: ChoiceMaker, condition: str, chosen: Sequence[Chosen]) -> bool:
        """Adds the statements; False where one of them is not certain, or too long."""
        if len(chosen) > 1:
            # It may be made of what the first of them sets.
            name = maker.new_name()
            self.lines.append(f"{name} = {condition}")
            condition = name
        for each in chosen:
            value = maker.where(condition, each.then, each.otherwise, each.target)
            line = f"{each.target}{value}"
            if not condition or not value or len(line) > LONGEST or "\n" in line:
                return False
            self.lines.append(line)
        return True

    @property
    def text(self) -> str:
        """All of it, as sentences."""
        *others, last = [f"`{line}`" for line in self.lines]
        lines = f"{', '.join(others)} and {last}" if others else last
        is_new = not all(line.partition(" = ")[0].endswith("]") for line in self.lines)
        more = "".join(f" {sentence}" for sentence in self.conditions)
        return f"Compute both and select: {lines}, {_WHEN}{_NEW if is_new else '.'}{more}"


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


def _of_calls(calls: Sequence[str]) -> list[str]:
    shown = [f"`{call}`" for call in calls]
    if not shown:
        return []
    which = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    runs = "runs" if len(shown) == 1 else "run"
    said = "must not write to anything, draw random numbers or update statistics."
    return [f"{which} always {runs}, and {said}"]


def _of_writes(code: Code) -> list[str]:
    """About names whose tensor a side writes in place: others may know it."""
    nodes = ast.walk(code.statement) if isinstance(code.statement, ast.If) else ()
    names = [
        node.target.id
        for node in nodes
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    ]
    return [
        f"The branch writes to the tensor `{name}` in place, so no other name may refer to it."
        for name in dict.fromkeys(names)
    ]
