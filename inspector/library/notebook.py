"""``%load_ext inspector``: the cell magic ``%%inspect`` of IPython and Jupyter."""

import tempfile
from pathlib import Path
from typing import Any

from inspector.library.recording import ShownReport, record


def load_ipython_extension(shell: Any) -> None:  # noqa: ANN401 - IPython's, which may be absent
    """Adds ``%%inspect``: runs a cell, records what it compiles, and returns the report."""

    def inspect(line: str, cell: str) -> ShownReport | None:
        """Run a cell and show what torch.compile did in it."""
        if line.strip():
            shell.show_usage_error("%%inspect takes no arguments.")
            return None
        with tempfile.TemporaryDirectory(prefix="inspector-", ignore_cleanup_errors=True) as name:
            with record(Path(name, "cell")) as recording:
                done = shell.run_cell(cell)  # shows what the cell returns or raises
            report = recording.report()
        has_frames = any(process.frames for process in report.run.processes)
        return report if done.success or has_frames else None

    shell.register_magic_function(inspect, magic_kind="cell", magic_name="inspect")
