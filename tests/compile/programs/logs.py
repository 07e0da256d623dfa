"""More programs for the advice of inspector/advice/printing.py."""

from __future__ import annotations

from inspector.advice.printing import LOGGING, _ignoring
from tests.compile.advised import decorated

_INFO = LOGGING.before.replace("log.warning", "log.info")

# As transformers does.
_ONCE = _INFO.replace("log.info", "log.info_once").replace(
    "\n\n@torch",
    """
logging.Logger.info_once = lambda self, *args: self.info(*args)


@torch""",
    1,
)
_ASKING = _INFO.replace(
    '    log.info("norm %s", norm)\n',
    "    if log.isEnabledFor(logging.DEBUG):\n        norm = norm + 0\n",
)
PAIRS = {
    "logging-ignored": (
        (_INFO, decorated(_INFO, _ignoring("info"))),
        (_ONCE, decorated(_ONCE, _ignoring("info_once"))),
    ),
    "logging-enabled": ((_ASKING, decorated(_ASKING, _ignoring("isEnabledFor"))),),
}
