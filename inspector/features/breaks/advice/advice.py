"""What a piece of advice is."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

from inspector.features.breaks.advice.edits import Fix, possible
from inspector.features.breaks.advice.predicates import Predicate, predicate
from inspector.report.documentation import read_documentation
from inspector.report.user_code.code import Code
from inspector.shared.edit import Edit

TESTED_ON = ("2.11", "2.12", "2.13", "2.14", "2.15")
"""Versions of torch on which every advice is run, unless it names fewer."""

_CASES = Path(__file__).parent / "cases"
_SECTIONS = ("What to do", "Before", "After", "What it keeps")


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """One of torch's kinds of graph breaks.

    Ids stay when torch changes the words, and words stay when a break gets another id: a break is
    of this kind if either is the same.
    """

    gb_id: str
    gb_type: str


@dataclasses.dataclass(frozen=True, slots=True)
class Break:
    """A graph break as advice looks at it.

    Attributes:
        torch_text: Torch's developer context, then its explanation, then the file that it was in.
    """

    gb_id: str | None
    gb_type: str | None
    torch_text: str = ""
    code: Code = dataclasses.field(default_factory=Code)


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What to do about a kind of graph break; tests run `before` and `after` on every torch.

    Both programs compile one function or more with ``torch.compile`` and leave what they computed
    in ``outputs``. `before` breaks its graph with one of `kinds`; `after` has no graph break, the
    same outputs, and the same prints, log records and warnings.

    Attributes:
        says: Regular expression of what torch says in this situation; empty where any will do.
        tailored: Makes `fix` for the user's own code; empty where the code is not as expected.
        caution: What else its edits change that equal outputs do not show, in one sentence.
        instead_of: Torch's hints that say the same or less, or are wrong (a regular expression).
        other_way_of: The ids of advice to which it is another way: shown after it, never first.
        backend: With which `before` breaks its graph: what a backend refuses, another may take.
        is_silent: Whether `after` does not log what `before` logs, when compiled.
        holds_elsewhere: Whether the line stays as it is: a setting, or what a caller does.
        tested_on: Versions of torch (``2.13``) on which it holds.
    """

    id: str
    kinds: tuple[Kind, ...]
    title: str
    fix: str
    before: str
    after: str
    keeps: str
    says: str = ""
    when: Predicate | None = None
    tailored: Callable[[Code], Fix] | None = None
    caution: str = ""
    instead_of: str = ""
    other_way_of: tuple[str, ...] = ()
    backend: str = "eager"
    is_silent: bool = False
    holds_elsewhere: bool = False
    tested_on: tuple[str, ...] = TESTED_ON

    def covers(self, gb_id: str | None, gb_type: str | None) -> bool:
        """Whether it is about this kind of graph break."""
        return any(gb_id == kind.gb_id or gb_type == kind.gb_type for kind in self.kinds)

    @property
    def is_general(self) -> bool:
        """Whether it is about every break of its kinds."""
        return not self.says and self.when is None

    def applies(self, found: Break) -> bool:
        """Whether it is about this very break."""
        return (
            self.covers(found.gb_id, found.gb_type)
            and (not self.says or re.search(self.says, found.torch_text) is not None)
            and (self.when is None or self.when(found.code))
        )

    def fix_for(self, code: Code) -> str:
        """What to do in the user's words where that can be said, else in general."""
        return (self.tailored(code).text if self.tailored else "") or self.fix

    def edits_for(self, code: Code) -> tuple[Edit, ...]:
        """What to do, as changes of the file; empty where it takes a person to make them."""
        return possible(code, self.tailored(code).edits) if self.tailored else ()

    def replaces(self, hint: str) -> bool:
        """Whether a hint of torch's need not be shown next to it."""
        return bool(self.instead_of) and re.search(self.instead_of, hint) is not None


def read_case(name: str, tailored: Callable[[Code], Fix] | None = None) -> Advice:
    """The advice of ``cases/<name>.md``, with what makes its fix of the user's own code.

    The lead is a block of lines ``key: value``; ``kind`` may be there several times.

    Raises:
        ValueError: The page has not all of its parts.
    """
    page = read_documentation(_CASES / f"{name}.md", _SECTIONS)
    pairs = [line.partition(": ") for line in page.lead.strip("`\n").splitlines()]
    fields = {key: value for key, _, value in pairs}
    return Advice(
        id=name,
        kinds=tuple(Kind(*text.split(" ", 1)) for key, _, text in pairs if key == "kind"),
        title=fields["title"],
        fix=" ".join(page.sections["What to do"].split()),
        before=page.program("Before"),
        after=page.program("After"),
        keeps=" ".join(page.sections["What it keeps"].split()),
        says=fields.get("says", ""),
        when=predicate(fields["when"]) if "when" in fields else None,
        tailored=tailored,
        caution=fields.get("caution", ""),
        instead_of=fields.get("instead-of", ""),
        other_way_of=tuple(fields.get("other-way-of", "").split()),
        backend=fields.get("backend", "eager"),
        is_silent="silent" in fields,
        holds_elsewhere="holds-elsewhere" in fields,
        tested_on=tuple(fields.get("tested-on", " ".join(TESTED_ON)).split()),
    )
