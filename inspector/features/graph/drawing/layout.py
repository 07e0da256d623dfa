"""Has the program `dot` of Graphviz place and draw a picture."""

import subprocess

import graphviz

from inspector.errors import EnvironmentLacksError, InspectorError

SUFFIXES = (".svg", ".png", ".pdf", ".dot", ".gv")
TIMEOUT_S = 60.0
# Twice the 96 dots to an inch of a screen: text stays sharp where a picture is made larger.
_PNG_DPI = "-Gdpi=144"
_INSTALL = (
    "Install it with `apt install graphviz`, `brew install graphviz` or "
    "`conda install graphviz`, or write a .dot file, which does not need it."
)


def render(dot_text: str, suffix: str, *, timeout_s: float = TIMEOUT_S) -> bytes:
    """The content of a file with one of `SUFFIXES`.

    Raises:
        EnvironmentLacksError: `dot` is not installed.
        InspectorError: `dot` failed or took too long.
    """
    if suffix in {".dot", ".gv"}:
        return dot_text.encode()
    form = suffix.removeprefix(".")
    command: list[str] = [str(graphviz.DOT_BINARY), f"-T{form}"]
    command += [_PNG_DPI] if form == "png" else []
    # Not `Source.pipe`: that has no time limit, and `dot` can take hours for a large graph.
    try:
        done = subprocess.run(
            command, input=dot_text.encode(), capture_output=True, timeout=timeout_s, check=False
        )
    except FileNotFoundError:
        message = "Pictures need `dot` from Graphviz, which is not installed."
        raise EnvironmentLacksError(message, _INSTALL) from None
    except subprocess.TimeoutExpired:
        message = f"`dot` timed out after {timeout_s:.0f} seconds."
        raise InspectorError(
            message, "Collapse more of the graph, draw part of it, or write a .dot file."
        ) from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip()
        raise InspectorError("`dot` could not draw the picture.", detail=said)
    return done.stdout
