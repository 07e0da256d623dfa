"""``with inspector.record("path") as recording:`` around code that compiles."""

import contextlib
import dataclasses
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from inspector import plugins
from inspector.errors import InspectorError, UsageError
from inspector.features.overview.run_summary import next_steps
from inspector.report.report import Report, make_report
from inspector.report.wording import count
from inspector.run.run import Run
from inspector.run.sources.meta import begin, unwritable, write_meta
from inspector.run.sources.recording import opened, read_run
from inspector.shared.meta import Meta
from inspector.version import __version__

_ALERT = re.compile(r"^> \[!\w+\]\n", re.MULTILINE)  # GitHub's alone
_AT_WORK = "still being recorded, or the process was killed"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ShownReport(Report):
    """A `inspector.report.report.Report` with the methods that Python and Jupyter look for."""

    def __repr__(self) -> str:
        from inspector.features.overview.page import page

        return f"<Report: {page(self).headline}; {count(len(self.findings), 'finding')}>"

    def __str__(self) -> str:
        return self._rendered("terminal")

    def to_json(self) -> str:
        """The report as `inspect explain --format json` writes it."""
        return self._rendered("json")

    def to_dict(self) -> dict[str, Any]:
        """The same as Python objects; `inspect schema explain` describes the fields."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file; the end of its name is the format: .html, .md, .json or .txt.

        Raises:
            UsageError: The name ends in no format.
        """
        format_ = plugins.renderer_for_suffix(Path(path), "explain")
        with Path(path).open("w", encoding="utf-8") as stream:
            plugins.render(self._plain(), format_, stream, is_whole=True)

    def _repr_markdown_(self) -> str:
        return self._rendered("markdown")

    def _repr_html_(self) -> str:
        from markdown_it import MarkdownIt

        # What was recorded is escaped in the Markdown, whose own HTML is what folds.
        parser = MarkdownIt("commonmark", {"html": True}).enable("table")
        return str(parser.render(_ALERT.sub("", self._rendered("markdown"))))

    def _rendered(self, format_: str) -> str:
        stream = io.StringIO()
        plugins.render(self._plain(), format_, stream)
        return stream.getvalue()

    def _plain(self) -> Report:
        return Report(
            **{item.name: getattr(self, item.name) for item in dataclasses.fields(Report)}
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Recording:
    """A recording that this process makes or has made, in a folder for `inspect explain`."""

    path: Path

    def run(self) -> Run:
        """What is recorded so far; after the ``with``, everything."""
        with opened(self.path) as recording:
            return read_run(recording)

    def report(self) -> ShownReport:
        """What was found in it, by all rules that there are."""
        run = self.run()
        report = make_report(run, plugins.load_rules("run"), next_steps(run))
        fields = {field.name: getattr(report, field.name) for field in dataclasses.fields(Report)}
        return ShownReport(**fields)


@contextlib.contextmanager
def record(
    path: str | os.PathLike[str] | None = None,
    *,
    caches: str = "user",
    max_bytes: int | None = None,
    measure: bool = True,
) -> Iterator[Recording]:
    """Records what ``torch.compile`` does in this process, and in those that it forks.

    All threads are recorded. A backend is never replaced, and no setting of torch is changed. A
    recording can stand inside of another one; both then have what happens in the inner one.

    Args:
        path: A folder that is empty or not there yet; by default the next one in ``.inspector``.
        caches: ``user`` uses the caches that the program uses anyway; ``fresh`` gives Inductor
            empty ones until the end, so that every stage runs.
        max_bytes: The size of each process's logs: details are written up to half of it.
        measure: Whether the block's own calls are profiled for a moment, once it has stopped
            compiling, so that breaks have a cost; never with ``max_bytes``.

    Raises:
        UsageError: There is no such way to treat caches.
        RecordingError: The folder is not empty or cannot be written to.
    """
    if caches not in {"user", "fresh"}:
        raise UsageError(f"caches={caches!r} is not valid.", 'Use caches="user" or "fresh".')
    settings = {"caches": caches} | ({} if max_bytes is None else {"max_bytes": max_bytes})
    with recorded(path, "", settings, max_bytes, measure=measure) as recording:
        yield recording


@contextlib.contextmanager
def recorded(
    path: str | os.PathLike[str] | None,
    target: str,
    settings: Mapping[str, object],
    max_bytes: int | None = None,
    *,
    measure: bool = False,
) -> Iterator[Recording]:
    """Records with a description; what the block raises is in it, and leaves it."""
    from inspector.capture.compiled import fresh_caches
    from inspector.capture.recording.handler import attach

    # The program may change the working directory.
    asked = None if path is None else Path(path).absolute()
    folder, meta = begin(asked, "", target, settings, _AT_WORK)
    folder = folder.absolute()
    with contextlib.ExitStack() as stack:
        if settings.get("caches") == "fresh":
            stack.enter_context(fresh_caches())
        pid = os.getpid()
        attachment = attach(folder, os.getcwd(), max_bytes)  # noqa: PTH109 - as Dynamo sees it
        error: BaseException | None = None
        if measure and max_bytes is None:
            attachment.handler.measures = True
        try:
            yield Recording(folder)
        except BaseException as raised:
            error = raised
            if pid == os.getpid() and isinstance(raised, Exception):
                attachment.log.add_raised(raised)
            raise
        finally:
            if measure and pid == os.getpid():
                attachment.handler.end_measuring()
            attachment.detach()
            if pid == os.getpid():  # a fork that leaves the block ends its own log alone
                try:
                    write_meta(folder, _ended(meta, error), {"tool_version": __version__})
                except OSError as failed:
                    raise unwritable(folder, failed) from failed


def _ended(meta: Meta, error: BaseException | None) -> Meta:
    if error is None:
        return dataclasses.replace(meta, partial="", ended="whole")
    if isinstance(error, InspectorError):
        message = f"{error.message} {error.next_step}".strip()
        return dataclasses.replace(
            meta, partial="", ended="failed", error=message,
            error_detail=error.detail, error_exit_code=error.exit_code,
        )  # fmt: skip
    first_line = str(error).strip().partition("\n")[0]
    said = f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
    return dataclasses.replace(meta, partial="", ended="failed", error=f"the block raised {said}")
