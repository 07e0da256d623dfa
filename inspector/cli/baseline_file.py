"""Reads an earlier report (``-o report.json``) as a baseline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.errors import RecordingError
from inspector.report.baseline import Baseline, KnownFinding
from inspector.report.report import FORMAT_VERSION
from inspector.report.severity import Severity
from inspector.shared.near_matches import near_matches

_WRITE_ONE = "Write one with: inspect explain … -o {}"


def read_baseline(path: Path) -> Baseline:
    """Reads a report.

    Raises:
        RecordingError: It is not there, cannot be read, is no report of ours, is of a newer format,
            or is the report of a recording that is not complete.
    """
    report = _loaded(path)
    version = report.get("format_version")
    recording = report.get("recording")
    if not isinstance(version, int) or not isinstance(recording, dict):
        raise _no_report(path, "it is other JSON")
    if version > FORMAT_VERSION:
        message = f"{path} is a report of format {version}; this version reads {FORMAT_VERSION}."
        raise RecordingError(message, "Update torch-inspector: git pull in its checkout.")
    reason = recording.get("partial") or recording.get("error")
    if reason:
        kind = "a partial recording" if recording.get("partial") else "a program that failed"
        message = f"{path} is the report of {kind} and no baseline ({_sentence(reason)})."
        raise RecordingError(message, "Record it again, and use the report of a whole recording.")
    try:
        return Baseline(
            name=str(path),
            findings=tuple(_findings(report["findings"])),
            target=str(recording.get("target") or ""),
            settings=dict(recording.get("settings") or {}),
            torch=tuple(sorted(_torch(report.get("environment") or []))),
            is_trace=not recording.get("format_version"),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _no_report(path, "its findings are not as they should be") from error


def _loaded(path: Path) -> Mapping[str, Any]:
    if path.is_dir() or path.suffix == ".zip":
        message = f"{path} is no report: a baseline is one in JSON."
        raise RecordingError(message, f"Write it with: inspect explain {path} -o baseline.json")
    try:
        report = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise RecordingError(f"There is no baseline {path}.", _instead_of(path)) from error
    except OSError as error:
        message = f"The baseline {path} cannot be read ({error.strerror})."
        raise RecordingError(message, "Make it readable, or name another file.") from error
    except (ValueError, RecursionError) as error:  # also of bytes that are no text
        raise _no_report(path, "it is not JSON") from error
    if not isinstance(report, dict):
        raise _no_report(path, "it is other JSON")
    return report


def _instead_of(path: Path) -> str:
    folder = path.parent
    names = [item.name for item in folder.glob("*.json")] if folder.is_dir() else []
    near = near_matches(path.name, names)
    if near:
        return f"Did you mean {' or '.join(str(folder / name) for name in near)}?"
    return _WRITE_ONE.format(path)


def _no_report(path: Path, reason: str) -> RecordingError:
    message = f"{path} is no report of torch-inspector in JSON ({reason})."
    return RecordingError(message, _WRITE_ONE.format("baseline.json"))


def _sentence(reason: object) -> str:
    return str(reason).partition("\n")[0].rstrip(".")


def _findings(entries: list[Mapping[str, Any]]) -> Iterator[KnownFinding]:
    for entry in entries:
        yield KnownFinding(
            rule=str(entry["rule"]),
            severity=Severity(entry["severity"]),
            message=str(entry["message"]),
            file=str(entry.get("file") or ""),
            line=int(entry.get("line") or 0),
            gb_id=entry.get("gb_id"),
            fingerprint=str(entry["fingerprint"]),
        )


def _torch(environment: list[Mapping[str, Any]]) -> Iterator[str]:
    for process in environment:
        version = (process.get("versions") or {}).get("torch")
        if version:
            yield str(version)
