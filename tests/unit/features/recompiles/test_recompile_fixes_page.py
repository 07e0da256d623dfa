"""What ``recompile_fixes.md`` names is there: a class, a section, or a fact."""

from __future__ import annotations

import re
from pathlib import Path

from inspector.features.recompiles import fix as recompile_fix
from inspector.features.recompiles.case import FixCase
from inspector.run.recompile import RecompileClass

M = re.MULTILINE
PAGE = Path(recompile_fix.__file__).with_name("recompile_fixes.md").read_text(encoding="utf-8")


def test_all_that_it_asks_for_is_known() -> None:
    sections = {name for line in re.findall(r"^## (.+)$", PAGE, M) for name in line.split(", ")}
    conditions = re.findall(r"^### (.+)$|^\[(.+?)\] ", PAGE, M)
    asked = {
        name.removeprefix("not ") for pair in conditions for name in "".join(pair).split(" and ")
    }
    named = set(re.findall(r"\{([\w-]+)\}", PAGE.partition("\n## ")[2]))
    known = {*dir(FixCase), *FixCase.__dataclass_fields__, *recompile_fix.FACTS, "else"}

    assert not asked - known
    assert not named - known - sections


def test_all_classes_have_advice_but_those_that_nobody_can_help() -> None:
    sections = set(re.findall(r"[\w-]+", " ".join(re.findall(r"^## (.+)$", PAGE, M))))

    assert {each.value for each in RecompileClass} - sections == {"nothing-kept", "other"}
