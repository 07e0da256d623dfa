"""How much a finding matters."""

import enum


class Severity(enum.Enum):
    """How much a finding matters, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the gravest; findings are sorted by it."""
        return list(Severity).index(self)
