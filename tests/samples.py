"""Records the samples again: ``python -m tests.samples [name …]`` writes samples/*/recording.zip.

``python -m tests.samples --profiles FOLDER`` takes recordings of ``inspect profile`` instead, which
a machine with a GPU made: those in FOLDER are called ``small_cnn.inference``, and become
samples/small_cnn/h200-inference.zip.

The folders of the machine that records are replaced by neutral ones, in the logs (whose payloads
carry a checksum) as well as in the description.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inspector.features.profile.nsight_compute import FILE as COUNTERS
from inspector.run.sources.recording import write_zip
from inspector.shared.meta import META_FILE

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
INSPECT = [sys.executable, "-m", "inspector.cli"]
NEUTRAL = "/home/user"
PROJECT = f"{NEUTRAL}/torch-inspector"
# Samples of which reports/ has a table of what was tried as well.
VERIFIED = ("dynamic_shapes", "graph_breaks", "recompiles")
_HAS_PAYLOAD = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def names() -> list[str]:
    """The samples that are recorded, in the order of their names: those that run without a GPU."""
    found = {path.parent.name for path in SAMPLES.glob("*/model.py")}
    return sorted(found - {"user_triton_kernel"})


def record(name: str, folder: Path, inspect: Sequence[str] = INSPECT) -> None:
    """Records a sample into an empty folder, as `inspect explain` does, with neutral paths."""
    command = [*inspect, "explain", f"samples/{name}/model.py"]
    command += ["--save", str(folder), "--format", "json", "--no-progress"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    for log in sorted(folder.glob("*.log")):
        log.write_bytes(neutral_log(log.read_bytes()))
        log.rename(folder / f"trace_{len(list(folder.glob('trace_*')))}.log")
    meta = folder / META_FILE
    meta.write_bytes(_neutral(meta.read_bytes()))


def verify(name: str) -> None:
    """Writes what ``--verify`` shows for a sample, as it is measured here and now."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [*INSPECT, "explain", f"samples/{name}/model.py"]
        command += ["--verify", "--no-measure", "--no-progress"]
        command += ["--save", f"{temporary}/recording", "-o", f"{temporary}/report.md"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        report = (Path(temporary) / "report.md").read_text(encoding="utf-8")
    begin = report.index("## Tried, each in a fresh process")
    end = report.find("\n## ", begin + 1)
    table = report[begin : end if end > 0 else None].strip()
    title = f"# What --verify shows for samples/{name}"
    path = ROOT / "reports" / name / "verify.md"
    path.write_text(f"{title}\n\n{table}\n", encoding="utf-8")


def neutral_log(log: bytes, replacements: Sequence[tuple[str, str]] | None = None) -> bytes:
    """A log with neutral folders in it and correct checksums."""
    records: list[bytes] = []
    for record_ in re.split(rb"\n(?=[^\t\n])", log.rstrip(b"\n")):
        header, _, payload = _neutral(record_, replacements).partition(b"\n")
        text = payload.removeprefix(b"\t").replace(b"\n\t", b"\n")
        digest = hashlib.md5(text, usedforsecurity=False).hexdigest().encode()
        header = _HAS_PAYLOAD.sub(b'"has_payload": "%s"' % digest, header)
        records.append(header + (b"\n" + payload if payload else b""))
    return b"\n".join(records) + b"\n"


def _neutral(text: bytes, replacements: Sequence[tuple[str, str]] | None = None) -> bytes:
    for folder, neutral in replacements or _replacements():
        text = text.replace(folder.encode(), neutral.encode())
    return text


def _replacements() -> Sequence[tuple[str, str]]:
    """(this machine's, neutral) texts, the longest first."""
    paths = sysconfig.get_paths()
    found = {
        str(ROOT): PROJECT,
        paths["purelib"]: f"{NEUTRAL}/.venv/lib/python3/site-packages",
        sys.prefix: f"{NEUTRAL}/.venv",
        paths["stdlib"]: "/usr/lib/python3",
        sys.base_prefix: "/usr",
        tempfile.gettempdir() + "/inspector-": "/tmp/inspector-",  # noqa: S108 - a text
        socket.gethostname(): "host",
        site.getusersitepackages(): f"{NEUTRAL}/.local/lib/python3/site-packages",
    }
    return _with_shortened(found, str(ROOT))


def _elsewhere(log: bytes) -> Sequence[tuple[str, str]]:
    """The same of the machine that a recording comes from, which says its folders."""
    said = re.search(rb'"roots": (\{.*?\})', log)
    roots = json.loads(said[1]) if said else {}
    found = dict.fromkeys(roots["site"], f"{NEUTRAL}/.venv/lib/python3/site-packages")
    found[str(roots["torch"]).rpartition("/")[0]] = f"{NEUTRAL}/.venv/lib/python3/site-packages"
    found[roots["stdlib"]] = "/usr/lib/python3"
    found[roots["project"]] = PROJECT
    return _with_shortened(found, roots["project"])


def _with_shortened(found: dict[str, str], project: str) -> Sequence[tuple[str, str]]:
    # Torch shortens long paths from the left in some messages.
    for folder, neutral in list(found.items()):
        parts = folder.split("/")
        shortened = ["/".join(parts[start:]) for start in range(1, len(parts) - 1)]
        found |= {text: neutral.lstrip("/") for text in shortened}
    found[project[2:]] = PROJECT[1:]  # and one letter too many where only the root is shared
    return sorted(found.items(), key=lambda item: -len(item[0]))


def take_profile(folder: Path) -> Path:
    """Puts a recording that another machine made beside its sample, with neutral paths."""
    name, _, what = folder.name.partition(".")
    with tempfile.TemporaryDirectory() as temporary:
        taken = Path(temporary)
        for number, log in enumerate(sorted(folder.glob("*.log"))):
            text = log.read_bytes()
            (taken / f"trace_{number}.log").write_bytes(neutral_log(text, _elsewhere(text)))
        (taken / META_FILE).write_bytes((folder / META_FILE).read_bytes())
        if (folder / COUNTERS).is_file():
            (taken / COUNTERS).write_bytes((folder / COUNTERS).read_bytes())
        output = SAMPLES / name / f"h200-{what}.zip"
        write_zip(taken, output)
    return output


def main() -> None:
    """Records the samples named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=names())
    parser.add_argument("--profiles", type=Path)
    asked = parser.parse_args()
    if asked.profiles is not None:
        for folder in sorted(asked.profiles.glob("*.*/")):
            output = take_profile(folder)
            print(f"{output.relative_to(ROOT)}  {output.stat().st_size / 1024:.0f} KiB")
        return
    for name in asked.names:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "recording"
            record(name, folder)
            write_zip(folder, SAMPLES / name / "recording.zip")
        if name in VERIFIED:
            verify(name)
        size = (SAMPLES / name / "recording.zip").stat().st_size
        print(f"samples/{name}/recording.zip  {size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
