"""Rules: what can be found, each documented where it is defined."""

from __future__ import annotations

import abc
import inspect
import re
from collections.abc import Iterable
from typing import ClassVar

from inspector.findings.finding import Finding
from inspector.findings.severity import Severity
from inspector.model.run import Run

SECTIONS = ("What it means", "Why it matters", "Example", "What to do")


class Documented(abc.ABC):
    """Something that can be found.

    The docstring of a rule is its documentation: a title line, then the sections `SECTIONS`.
    It is checked when the class is made.

    Attributes:
        id: The rule's name, in kebab case.
        severity: The severity that its findings have unless they say otherwise.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity]

    def __init_subclass__(cls, *, is_kind: bool = False) -> None:
        """Checks name, severity and documentation.

        Args:
            is_kind: Whether it is a kind of rules, and no rule itself.

        Raises:
            TypeError: One of them is missing.
        """
        super().__init_subclass__()
        if is_kind:
            return
        missing = [name for name in ("id", "severity") if name not in vars(cls)]
        documentation = inspect.cleandoc(vars(cls).get("__doc__") or "")
        missing += [
            title
            for title in SECTIONS
            if not re.search(rf"^{title}:$", documentation, re.MULTILINE)
        ]
        if missing:
            message = f"{cls.__name__} lacks {', '.join(missing)}"
            raise TypeError(message)

    @classmethod
    def title(cls) -> str:
        """The first line of the documentation, without its full stop."""
        return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0].rstrip(".")

    @classmethod
    def sections(cls) -> dict[str, str]:
        """The documentation by section title."""
        text = inspect.cleandoc(cls.__doc__ or "")
        parts = re.split(rf"^({'|'.join(SECTIONS)}):$", text, flags=re.MULTILINE)[1:]
        return {
            title: inspect.cleandoc("\n" + body).strip()
            for title, body in zip(parts[::2], parts[1::2], strict=True)
        }


class Rule(Documented, is_kind=True):
    """Something that can be found in a run."""

    @abc.abstractmethod
    def check(self, run: Run) -> Iterable[Finding]:
        """What this rule finds in a run."""
