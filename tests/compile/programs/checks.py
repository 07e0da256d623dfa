"""More programs for the advice of inspector/advice/checks.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_CHECKED = BY_ID["branch-raise-in-graph"].before
_HALVED = BY_ID["branch-while"].before
_RAISED = BY_ID["branch-raise"].before
_SPARED = BY_ID["branch-raise-uncompiled"].before


_LOGGED = _RAISED.replace("        raise", '        print("NaN in", y)\n        raise')
VARIANTS = {
    "branch-while": (_HALVED.replace("sum()", "sum().item()"),),
    "branch-raise": (_LOGGED, _LOGGED.replace("isnan().any()", "isnan().any().item()")),
    "branch-raise-in-graph": (_CHECKED.replace("any()", "any().item()"),),
    "branch-raise-uncompiled": (_SPARED.replace("any()", "any().item()"),),
}
