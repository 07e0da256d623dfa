"""What tlparse shows of its own test inputs, and whether it is read here.

    python benchmarks/tlparse_facts.py INPUTS --tlparse PATH

INPUTS is ``tests/inputs`` of tlparse's repository. For each log: the compilations of tlparse's
directory that are compilations here, and the kinds of artifacts that it lists which are read here
(a graph, code, a cache result, …), of all.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from inspector.run.sources.recording import opened, read_run
from inspector.trace.registry import is_read

_ID = re.compile(r"(?:!\d+/)?(\d+/\d+)")


def directory(tlparse: str, log: Path) -> dict[str, list[str]]:
    """Names of artifacts by compile id, as tlparse lists them."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [tlparse, str(log), "-o", f"{temporary}/tl", "--overwrite", "--no-browser"]
        subprocess.run(command, capture_output=True, check=False)
        place = Path(temporary, "tl", "compile_directory.json")
        found = json.loads(place.read_text()) if place.exists() else {}
    return {
        name: [item["name"] for item in entry["artifacts"]]
        for name, entry in found.items()
        if isinstance(entry, dict)
    }


def known(name: str) -> bool:
    """Whether the event of an artifact of tlparse's (``fx_graph_cache_miss_8.json``) is read."""
    event = re.sub(r"(?:_\d+)?\.(?:json|txt|html|py)$", "", name)
    event = re.sub(r"_[a-z0-9]{52}$|_\d+$", "", event)
    return is_read(event, "") or is_read("artifact", event)


def main() -> int:
    """Prints the table; 1 if a compilation is missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", type=Path)
    parser.add_argument("--tlparse", default="tlparse")
    options = parser.parse_args()
    missing = 0
    others: dict[str, int] = {}
    print("| log | compilations | artifacts read |")
    print("|---|--:|--:|")
    logs = [path for path in options.inputs.rglob("*") if path.suffix in {".log", ".txt"}]
    for log in sorted(path for path in logs if path.stat().st_size):
        shown = directory(options.tlparse, log)
        with opened(log) as recording:
            run = read_run(recording)
        ours = {str(item.compile_id) for item in run.compilations}
        ours |= {item.compile_id for process in run.processes for item in process.compile_times}
        theirs = {match[1] for name in shown if (match := _ID.search(name))}
        names = [name for each in shown.values() for name in each]
        read = [name for name in names if known(name)]
        for name in set(names) - set(read):
            others[re.sub(r"_\d+\.", ".", name)] = others.get(re.sub(r"_\d+\.", ".", name), 0) + 1
        missing += len(theirs - ours)
        label = log.relative_to(options.inputs)
        print(f"| {label} | {len(theirs & ours)} of {len(theirs)} | {len(read)} of {len(names)} |")
    print("\nNot read: " + ", ".join(f"{name} ({n})" for name, n in sorted(others.items())))
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
