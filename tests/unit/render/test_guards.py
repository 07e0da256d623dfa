"""Reports on guards: the same from a recording and from its plain trace."""

from pathlib import Path

import pytest

from inspector.run.sources.recording import opened
from tests import golden
from tests.unit.render.rendering import as_json
from tests.unit.test_strip import stripped


@pytest.mark.parametrize("path", golden.recordings(), ids=lambda path: path.parent.name)
def test_without_our_artifacts_the_guards_are_the_same(path: Path, tmp_path: Path) -> None:
    with opened(path) as source:
        (tmp_path / "plain.log").write_bytes(stripped(source.logs[0].read_bytes()))
    full, plain = (as_json(golden.guards_of(log)) for log in (path, tmp_path / "plain.log"))

    for name in ("guards", "kinds", "modules"):
        assert plain[name] == full[name]
    # Which object a function was compiled for is in our artifacts alone.
    changes = [
        [(frame["entries"],
          [change["text"] for change in frame["next_changes"]
           if "is one of" not in change["text"]])
         for frame in found["frames"]]
        for found in (plain, full)
    ]  # fmt: skip
    assert changes[0] == changes[1]
    assert plain["time"] is None
