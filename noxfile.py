"""Environments of their own, for what does not fit into that of the README's test command."""

import nox


@nox.session(python=["3.11", "3.12", "3.13"], default=False)
def xla(session: nox.Session) -> None:
    """The backend openxla: torch_xla's last release needs another torch (3 GB with its CUDA)."""
    session.install("torch==2.9.0", "torch_xla==2.9.0")
    # Behind it: nothing of these asks for torch, whose version in the file is another.
    session.install(
        "-c", "constraints.txt", "-e", ".", "jsonschema", "numpy", "pytest", "pytest-xdist"
    )
    session.run(
        "pytest", "--numprocesses=0", "tests/xla", *session.posargs, env={"PJRT_DEVICE": "CPU"}
    )
