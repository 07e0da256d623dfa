"""Which events, artifacts and fields torch writes: kept per version, so that drift is seen.

    python -m tests.compile.drift                 prints what differs from the kept list
    python -m tests.compile.drift --regenerate    writes the list of the installed torch

The programs that are recorded are few; they reach Dynamo, AOTAutograd, Inductor's C++ and the
recompilations. A field that appears only now and then is no drift, so the lists are read as what
has been seen, not as what must be there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.records.record import PREFIX
from inspector.run.sources.log import LogReader
from inspector.shared.request import Request
from tests.compile import warm_python
from tests.compile.processes import ROOT

SEEN = Path(__file__).with_name("seen")
PROGRAM = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x, n):
        x = torch.relu(self.linear(x)) + n
        print("break")
        return torch.softmax(x, -1)

model = Net()
example_inputs = [(torch.ones(2, 4), 1), (torch.ones(3, 4), 2), (torch.ones(5, 4), 3)]
"""


def version() -> str:
    """Minor version of the installed torch, ``2.13``."""
    return ".".join(importlib.metadata.version("torch").split(".")[:2])


def seen_now() -> dict[str, list[str]]:
    """Fields by event (``artifact:name`` for an artifact) in a few fresh recordings."""
    fields: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as temporary:
        warm_python.prepare()
        target = Path(temporary) / "model.py"
        target.write_text(PROGRAM)
        for number, backend in enumerate(("eager", "inductor")):
            folder = Path(temporary) / str(number)
            request = Request(str(target), train=backend == "inductor", backend=backend, calls=3)
            warm_python.record(folder, request, ROOT)
            for label, names in _fields(folder):
                fields[label] |= names
    return {label: sorted(names) for label, names in sorted(fields.items())}


def _fields(folder: Path) -> Iterator[tuple[str, set[str]]]:
    for log in folder.glob("*.log"):
        for envelope in LogReader(log, everything=True).read(ended=True):
            name = f"artifact:{envelope.name}" if envelope.name else envelope.key
            if "_BYTECODE" not in name and not envelope.name.startswith(PREFIX):
                yield name, set(envelope.fields()) - {"name"}


def differences(before: Mapping[str, list[str]], now: Mapping[str, list[str]]) -> Iterator[str]:
    """One line for each event or field that is new or gone."""
    for label in sorted(before.keys() | now.keys()):
        if label not in now:
            yield f"gone: {label}"
        elif label not in before:
            yield f"new:  {label} {' '.join(now[label])}".rstrip()
        else:
            yield from (f"gone: {label}.{name}" for name in set(before[label]) - set(now[label]))
            yield from (f"new:  {label}.{name}" for name in set(now[label]) - set(before[label]))


def main() -> None:
    """Prints what differs, or writes the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--regenerate", action="store_true")
    path = SEEN / f"torch-{version()}.json"
    now = seen_now()
    if parser.parse_args().regenerate:
        path.write_text(json.dumps(now, indent=1) + "\n")
        print(f"wrote {path.name}: {len(now)} events")
        return
    if not path.is_file():
        print(f"no list for torch {version()} yet: python -m tests.compile.drift --regenerate")
        return
    lines = list(differences(json.loads(path.read_text()), now))
    print("\n".join(lines) or f"torch {version()} writes what it wrote before: {len(now)} events")


if __name__ == "__main__":
    main()
