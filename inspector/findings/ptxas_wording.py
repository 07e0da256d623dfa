"""That choices of autotuning are compiled twice, in words."""

from __future__ import annotations

from inspector.model.run import Run


def compiled_twice(run: Run) -> tuple[str, str] | None:
    """Why, and what to do; None where a run's processes have one ``ptxas``, or none."""
    for process in run.processes:
        found = process.hardware.get("ptxas")
        if not isinstance(found, dict) or not {"torch", "triton"} <= found.keys():
            continue
        why = (
            f"Inductor's compile processes take torch's ptxas ({found['torch']}), and the process "
            f"that times takes Triton's ({found['triton']}): it finds nothing of theirs in "
            "Triton's cache, and compiles all choices again, one after the other"
        )
        fix = (
            "Set TRITON_PTXAS_PATH to torch/bin/ptxas of the folder that torch is installed in: "
            "both take the same one then."
        )
        return why, fix
    return None
