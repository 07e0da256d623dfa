"""The advice by its id, and programs with a setting for what they compile."""

from __future__ import annotations

from inspector.advice.table import ALL
from inspector.findings.around_calls import patch

BY_ID = {advice.id: advice for advice in ALL}
_COMPILED = "@torch.compile\n"


def decorated(program: str, setting: str) -> str:
    """A program with the setting for the calls of each function that it compiles."""
    return program.replace(_COMPILED, f"@{patch(setting)}\n{_COMPILED}")
