"""Records the samples again: ``python -m tests.samples [name …]`` writes samples/*/recording.zip.

The folders of the machine that records are replaced by neutral ones, in the logs (whose payloads
carry a checksum) as well as in the description.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inspector.model.meta_file import META_FILE
from inspector.sources.recording import write_zip

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
NEUTRAL = "/home/user"
PROJECT = f"{NEUTRAL}/torch-inspector"
# Samples of which reports/ has a table of what was tried as well.
VERIFIED = ("dynamic_shapes", "recompiles")
_HAS_PAYLOAD = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def names() -> list[str]:
    """The samples that are recorded, in the order of their names: those that run without a GPU."""
    found = {path.parent.name for path in SAMPLES.glob("*/model.py")}
    return sorted(found - {"user_triton_kernel"})


def record(name: str, folder: Path) -> None:
    """Records a sample into an empty folder, as `inspect explain` does, with neutral paths."""
    command = [sys.executable, "-m", "inspector.commands", "explain", f"samples/{name}/model.py"]
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
        command = [sys.executable, "-m", "inspector.commands", "explain"]
        command += [f"samples/{name}/model.py", "--verify", "--no-measure", "--no-progress"]
        command += ["--save", f"{temporary}/recording", "-o", f"{temporary}/report.md"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        report = (Path(temporary) / "report.md").read_text(encoding="utf-8")
    begin = report.index("## Tried, each in a fresh process")
    end = report.find("\n## ", begin + 1)
    table = report[begin : end if end > 0 else None].strip()
    title = f"# What --verify shows for samples/{name}"
    path = ROOT / "reports" / name / "verify.md"
    path.write_text(f"{title}\n\n{table}\n", encoding="utf-8")


def neutral_log(log: bytes) -> bytes:
    """A log with neutral folders in it and correct checksums."""
    records: list[bytes] = []
    for record_ in re.split(rb"\n(?=[^\t\n])", log.rstrip(b"\n")):
        header, _, payload = _neutral(record_).partition(b"\n")
        text = payload.removeprefix(b"\t").replace(b"\n\t", b"\n")
        digest = hashlib.md5(text, usedforsecurity=False).hexdigest().encode()
        header = _HAS_PAYLOAD.sub(b'"has_payload": "%s"' % digest, header)
        records.append(header + (b"\n" + payload if payload else b""))
    return b"\n".join(records) + b"\n"


def _neutral(text: bytes) -> bytes:
    for folder, neutral in _replacements():
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
    # Torch shortens long paths from the left in some messages.
    for folder, neutral in list(found.items()):
        parts = folder.split("/")
        shortened = ["/".join(parts[start:]) for start in range(1, len(parts) - 1)]
        found |= {text: neutral.lstrip("/") for text in shortened}
    found[str(ROOT)[2:]] = PROJECT[1:]  # and one letter too many where only the root is shared
    return sorted(found.items(), key=lambda item: -len(item[0]))


def main() -> None:
    """Records the samples named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=names())
    for name in parser.parse_args().names:
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
