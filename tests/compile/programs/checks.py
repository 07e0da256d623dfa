"""More programs for the advice of inspector/advice/checks.py."""

from __future__ import annotations

from inspector.advice.checks import _CHECKED, _HALVED, _RAISED, _SPARED

_LOGGED = _RAISED.replace("        raise", '        print("NaN in", y)\n        raise')
VARIANTS = {
    "branch-while": (_HALVED.replace("sum()", "sum().item()"),),
    "branch-raise": (_LOGGED, _LOGGED.replace("isnan().any()", "isnan().any().item()")),
    "branch-raise-in-graph": (_CHECKED.replace("any()", "any().item()"),),
    "branch-raise-uncompiled": (_SPARED.replace("any()", "any().item()"),),
}
