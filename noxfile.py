"""Tests on other versions of torch: ``nox -s torch-2.14``. Continuous integration has one version.

Each session installs that torch beside the other pinned packages, and runs what depends on torch:
tests/compile, with the advice cases, and the drift of events and of private names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nox

RELEASES = {
    "2.11": "2.11.0",
    "2.12": "2.12.0",
    "2.13": "2.13.0",
    "2.14": "2.14.1",
    "2.15": "2.15.0",
}
# torch brings its own Triton where it is a CUDA build; the CPU build of 2.13 needs the pinned one.
_OWN = ("torch==", "triton==")


def _tests(release: str) -> Callable[[nox.Session], None]:
    def session(session: nox.Session) -> None:
        pins = Path("constraints.txt").read_text(encoding="utf-8").splitlines()
        others = Path(session.create_tmp()) / "constraints.txt"
        others.write_text("\n".join(pin for pin in pins if not pin.startswith(_OWN)))
        session.install("-c", str(others.resolve()), f"torch=={release}", "-e", ".[dev]")
        session.run("python", "-m", "tests.compile.drift", success_codes=[0, 1])
        session.run("python", "-m", "pytest", "tests/compile", *session.posargs)

    return session


nox.options.sessions = []  # none unless it is named
for _minor, _release in RELEASES.items():
    nox.session(_tests(_release), name=f"torch-{_minor}", venv_backend="venv")
