"""Documentation that is a Markdown file next to its code: a lead, then sections."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

_PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass(frozen=True, slots=True)
class Documentation:
    """What ``NAME.md`` says."""

    lead: str
    sections: Mapping[str, str]

    def program(self, section: str) -> str:
        """The first Python program of a section, or an empty string."""
        found = _PROGRAM.search(self.sections[section])
        return found[1] if found else ""


def read_documentation(path: Path, titles: Sequence[str]) -> Documentation:
    """Reads a file ``# NAME``, a lead, and ``## Title`` with some text for each title.

    Raises:
        ValueError: There is no such file, or it lacks the heading, the lead or a section.
    """
    if not path.is_file():
        raise ValueError(f"{path} is missing.")
    head, *parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    heading, _, lead = head.strip().partition("\n")
    sections = {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}
    missing = [] if heading == f"# {path.stem}" else [f"the heading `# {path.stem}`"]
    missing += [] if lead.strip() else ["text below the heading"]
    missing += [f"the section {title!r}" for title in titles if not sections.get(title)]
    if missing:
        raise ValueError(f"{path} lacks {', '.join(missing)}.")
    return Documentation(lead.strip(), sections)
