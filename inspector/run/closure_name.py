"""Variables of closures: ``scale['b'] of fn``, where a guard has a number.

Dynamo's source is ``fn.__closure__[0].cell_contents['b']``; the name of the variable is that of the
function's code. Nothing else that torch names has a space outside of a string.
"""

import dataclasses
import re
from typing import Self

_NAME = re.compile(
    r"(?P<variable>[A-Za-z_]\w*)(?P<path>(?:[^\s'\"]|'[^']*'|\"[^\"]*\")*) of (?P<function>\S.*)",
    re.DOTALL,
)


@dataclasses.dataclass(frozen=True, slots=True)
class ClosureName:
    """A variable of a function's closure.

    Attributes:
        path: What is reached from it, or an empty string.
    """

    variable: str
    path: str
    function: str

    def __str__(self) -> str:
        return f"{self.expression} of {self.function}"

    @property
    def expression(self) -> str:
        """What is written where the variable is known."""
        return f"{self.variable}{self.path}"

    @classmethod
    def of(cls, name: str) -> Self | None:
        """Reads one; None where it is another name."""
        match = _NAME.fullmatch(name)
        return cls(match["variable"], match["path"], match["function"]) if match else None
