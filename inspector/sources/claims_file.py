"""Reads a file of published figures (TOML); docs/bench.md has its form."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from inspector.errors import UsageError
from inspector.model.claims import METRICS, PAIRS, Claim, ClaimedModel, Claims
from inspector.model.near_matches import did_you_mean

OPTIONS = (
    "modes", "backends", "vary", "shapes", "fullgraph", "batch", "dtype", "autocast", "tf32",
    "train", "optimizer", "grad", "inputs",
)  # fmt: skip
"""Options of `inspect bench` that belong to what is claimed; the others are the user's."""
_REPEATABLE = ("vary", "inputs")
_FLAGS = ("fullgraph", "train", "grad")
_STEP = "See samples/claims.toml, and docs/bench.md."


def read_claims(file: Path) -> Claims:
    """Reads the file; targets are relative to its folder.

    Raises:
        UsageError: It cannot be read, or is not what it should be.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}).", _STEP) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is no TOML: {error}.", _STEP) from error
    reader = _Reader(file)
    models = tuple(reader.models(found.pop("model", None)))
    published = str(found.pop("published", ""))
    reader.refuse(found, ("model", "published"), "the file")
    return Claims(str(file), published, models)


class _Reader:
    def __init__(self, file: Path) -> None:
        self._file = file

    def models(self, found: object) -> Iterator[ClaimedModel]:
        for number, fields in enumerate(self._tables(found, "[[model]]"), 1):
            target = fields.pop("target", None)
            where = f"model {number}"
            if not isinstance(target, str) or not target:
                self._wrong(f"{where} has no target")
            name = str(fields.pop("name", target))
            claims = fields.pop("claim", None)
            self.refuse(fields, (*OPTIONS, "name", "target", "claim"), where)
            yield ClaimedModel(
                name=name,
                target=self._target(target),
                options=dict(self._options(fields, where)),
                claims=tuple(self._claims(claims, where)),
            )

    def _target(self, target: str) -> str:
        """A file is looked for beside the claims; a module is what it is."""
        file, colon, name = target.partition(":")
        return f"{self._file.parent / file}{colon}{name}" if file.endswith(".py") else target

    def _options(self, fields: Mapping[str, object], where: str) -> Iterator[tuple[str, object]]:
        """Those that are given: a flag that is off is none, as on the command line."""
        for key, value in fields.items():
            option = self._option(key, value, where)
            if option is not False:
                yield key, option

    def _option(self, key: str, value: object, where: str) -> object:
        if key in _FLAGS and isinstance(value, bool):
            return value
        if key in _REPEATABLE and isinstance(value, list):
            return tuple(map(str, value))
        if key in {*_FLAGS, *_REPEATABLE} or not isinstance(value, str):
            kind = "true or false" if key in _FLAGS else "a list" if key in _REPEATABLE else "text"
            self._wrong(f"{where} has {key} = {value!r}, and not {kind}")
        return value

    def _claims(self, found: object, where: str) -> Iterator[Claim]:
        for fields in self._tables(found, f"[[model.claim]] of {where}"):
            setting = fields.pop("setting", None)
            if not isinstance(setting, str) or not fields:
                self._wrong(f"a claim of {where} has no setting, or no figures")
            self.refuse(fields, tuple(METRICS), f"a claim of {where}")
            for metric, values in fields.items():
                yield Claim(setting, metric, *self._figures(metric, values, where))

    def _figures(self, metric: str, values: object, where: str) -> tuple[float, float]:
        is_pair = (
            isinstance(values, list)
            and len(values) == 2  # noqa: PLR2004 - two figures
            and all(isinstance(item, int | float) and item > 0 for item in values)
        )
        if not is_pair or not isinstance(values, list):
            self._wrong(f"{metric} of {where} is not two figures ({METRICS[metric]})")
        first, second = map(float, values)
        if metric not in PAIRS and first > second:
            self._wrong(f"{metric} of {where} goes from {first:g} down to {second:g}")
        return first, second

    def refuse(self, fields: Mapping[str, object], known: Sequence[str], where: str) -> None:
        """Refuses a name that nobody knows.

        Raises:
            UsageError: There is one.
        """
        for name in fields:
            if name not in known:
                message = f"{self._file}: {where} has no {name!r}."
                raise UsageError(message, did_you_mean(name, known))

    def _tables(self, found: object, what: str) -> list[dict[str, Any]]:
        is_list = isinstance(found, list) and all(isinstance(item, dict) for item in found)
        if not found or not is_list or not isinstance(found, list):
            self._wrong(f"it has no {what}")
        return [dict(item) for item in found]

    def _wrong(self, what: str) -> NoReturn:
        raise UsageError(f"{self._file} is no file of claims: {what}.", _STEP)
