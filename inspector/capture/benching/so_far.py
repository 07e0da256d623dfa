"""What has happened in this process until now."""

from __future__ import annotations

import os
from pathlib import Path


def age_ns() -> int:
    """How long this process is there; 0 where the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        uptime = float(Path("/proc/uptime").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, round((uptime - began) * 1e9))
