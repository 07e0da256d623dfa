"""The options of commands that record models and show what was recorded, as one value."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from inspector.cli.options import (
    check_request,
    given_options,
    output_options,
    process_options,
    target_options,
)
from inspector.cli.output import check_output, write_report
from inspector.cli.target import check_target, is_model, reading, recorded
from inspector.run.run import Run
from inspector.run.sources.child import Checkout, Settings
from inspector.run.sources.recording import opened, read_run
from inspector.shared.request import Request

_OF_REQUEST = {field.name for field in dataclasses.fields(Request)} - {"target"}


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for."""

    given: dict[str, Any]  # the options of a `Request`
    process: dict[str, Any]  # python, timeout, save
    output: Path | None
    format_: str | None
    progress: bool

    @property
    def python(self) -> str | None:
        """The interpreter that models run in, or None for this one."""
        return cast("str | None", self.process["python"])

    @property
    def settings(self) -> Settings:
        """How a model is recorded."""
        return Settings(
            python=self.python,
            timeout_seconds=self.process["timeout"],
            save=self.process["save"],
            progress=self.progress,
            own_stdout=self.output is not None and self.format_ is None,  # else the report's
            fresh_caches=True,
        )

    def check(self, target: str | None, kind: str = "", **others: object) -> None:
        """Refuses what can be refused before anything is recorded or read.

        Args:
            kind: Of the report, where it has formats of its own.
            **others: Further options that have no meaning for a recording.
        """
        check_output(self.output, self.format_, kind)
        options = {**self.given, **self.process, **others}
        check_target(target, self.python, options)

    def request(self, target: str, **usual: object) -> Request:
        """What a model is asked for; ``usual`` unless it was asked for otherwise."""
        check_request(self.given)
        return Request(target, **{**usual, **self.given})

    @contextlib.contextmanager
    def shown(
        self,
        target: str | None,
        *,
        keep_spans: bool = False,
        is_whole: bool = False,
        checkout: Checkout | None = None,
        **usual: object,
    ) -> Iterator[tuple[Run, int]]:
        """The run that a view shows, and the exit code of recording it; its logs are there then.

        Args:
            is_whole: Whether it is read with all that a page shows: spans, and why it recompiled.
            checkout: Where a model runs, if that is not the working directory.
            **usual: As for `request`.
        """
        keep_spans = keep_spans or is_whole
        if not is_model(target):
            with reading(target, keep_spans=keep_spans, explains_recompiles=is_whole) as run:
                yield run, 0
            return
        settings = dataclasses.replace(self.settings, checkout=checkout)
        made = recorded(self.request(target, **usual), settings)
        if made.place.is_dir() and not keep_spans:
            yield made.run, made.exit_code
            return
        # What is read on demand is in the .zip by now.
        with opened(made.place) as recording:
            run = read_run(recording, keep_spans=keep_spans, explains_recompiles=is_whole)
            yield dataclasses.replace(run, place=made.run.place), made.exit_code

    def write(self, report: object, kind: str = "") -> None:
        """Writes the report where it was asked for."""
        write_report(report, self.output, self.format_, kind)


def recording_options(function: Callable[..., int]) -> Callable[..., int]:
    """What to compile and how, how the process is run, where the report goes: one `Asked`."""

    @functools.wraps(function)
    def command(  # noqa: PLR0913 - one parameter per option
        *,
        python: str | None,
        timeout: float | None,
        save: Path | None,
        output: Path | None,
        format_: str | None,
        no_progress: bool,
        **options: Any,  # noqa: ANN401 - the options of a Request, typed there
    ) -> int:
        request = {name: options.pop(name) for name in [*options] if name in _OF_REQUEST}
        process = {"python": python, "timeout": timeout, "save": save}
        asked = Asked(given_options(request), process, output, format_, not no_progress)
        return function(asked=asked, **options)

    return target_options(process_options(output_options(command)))
