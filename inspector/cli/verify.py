"""``--verify``: tries settings and changes of lines, each in a fresh process."""

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import click

from inspector import plugins
from inspector.cli.record import record_request
from inspector.errors import ALSO_WITHOUT, InspectorError
from inspector.features.verify.candidates import applied, candidates, rewrites_of
from inspector.features.verify.trials import measured, together, trial_of
from inspector.records.trial import TrialResult
from inspector.report.report import Report, make_report
from inspector.report.settings import shown_changes
from inspector.run.run import Run
from inspector.run.sources.child import Ending, Settings
from inspector.run.verification import Candidate, Trial, Verification
from inspector.shared.request import Request

verify_option = click.option(
    "--verify",
    is_flag=True,
    help="Try the advised changes and torch settings. Each runs in a separate process; your files "
    "are not modified. Graphs, breaks, compilations, times and outputs are compared.",
)
_LEAST_SECONDS = 60
_TIMES_AS_LONG = 5
_MOST_REWRITES = 16
_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """How the process of a trial ended.

    Attributes:
        stop: Exit code with which everything ends (Ctrl-C), or 0.
    """

    run: Run | None
    failure: str = ""
    stop: int = 0


Runner: TypeAlias = Callable[[Request, str], Outcome]
"""Records a request in a fresh process; the text says what is done, for the progress line."""


def recorder(settings: Settings, first: Ending) -> Runner:
    """Records silently, into a folder that is deleted as soon as it is read.

    Args:
        first: How that ended. Without ``--timeout`` the others get several times as long: a setting
            that hardly anybody uses can hang.
    """
    limit = max(_LEAST_SECONDS, round(_TIMES_AS_LONG * first.elapsed_ns / 1e9))
    seconds = settings.timeout_seconds or limit

    def run(request: Request, doing: str) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="inspector-trial-") as folder:
            quiet = dataclasses.replace(
                settings,
                timeout_seconds=seconds,
                save=Path(folder) / "recording",
                silent=True,
                doing=doing,
            )
            try:
                recorded = record_request(request, quiet)
            except InspectorError as error:
                return Outcome(None, str(error))
        meta = recorded.run.meta
        interrupted = meta.ended == "interrupted"
        stop = recorded.ending.recorder_signal and recorded.ending.shell_exit_code
        failure = meta.partial or meta.error
        if meta.ended == "timed-out":
            failure = f"it timed out after {seconds:g} seconds; raise the limit with --timeout"
        return Outcome(recorded.run, failure, _INTERRUPTED if interrupted else stop)

    return run


def verification_of(report: Report, request: Request, run: Runner) -> tuple[Verification, int]:
    """Tries every candidate, then all that helped together.

    Args:
        report: The report of the first process, which kept its outputs.

    Returns:
        What came of it, and the exit code with which it was stopped, or 0.
    """
    meta = report.run.meta
    if meta.partial or meta.error:
        reason = "the recording is partial" if meta.partial else "the model failed"
        return Verification(not_tried=reason), 0
    rewrites = rewrites_of(report.findings)
    possible = [*candidates(report.run), *rewrites[:_MOST_REWRITES]]
    if not possible:
        reason = "no known setting or code change removes these findings"
        return Verification(not_tried=reason), 0
    session = _Session(request, run, len(possible) + 2)
    verification = session.verification(possible)
    left = max(0, len(rewrites) - _MOST_REWRITES)
    return dataclasses.replace(verification, rewrites_left=left), session.stop


def _failure(candidate: Candidate, outcome: Outcome) -> str:
    """Why a trial failed; where the change does in plain Python, too, it is no fault of the model.

    The last line of the traceback names the exception.
    """
    detail = outcome.run.meta.error_detail if outcome.run is not None else ""
    if not candidate.rewrites or ALSO_WITHOUT not in outcome.failure or not detail:
        return outcome.failure
    return f"the changed line also fails in plain Python: {detail.strip().splitlines()[-1]}"


class _Session:
    """One verification while it goes on."""

    def __init__(self, request: Request, run: Runner, planned: int) -> None:
        self._request = dataclasses.replace(
            request, keep_outputs=None, compare_outputs=request.keep_outputs, measure=False
        )
        self._run = run
        self._planned = planned
        self._done = 0
        self.stop = 0

    def verification(self, possible: list[Candidate]) -> Verification:
        """Runs all processes, one after the other, as they would disturb each other's times."""
        before, failure = self._report(Candidate(), "the unchanged model")
        if before is None:
            return Verification(not_tried=f"the second process failed: {failure}")
        reports = list(self._reports(possible))
        again = None if self.stop else self._report(Candidate(), "the unchanged model, again")[0]
        baselines = [measured(report) for report in (before, again) if report is not None]
        equal = [item.outputs.equal if item.outputs else None for item in baselines]
        deterministic = None if None in equal else all(equal)

        def trial(candidate: Candidate, report: Report | None, failure: str) -> Trial:
            if report is None:
                return Trial(candidate, None, failure=failure)
            return trial_of(candidate, report, before, deterministic=deterministic)

        backends = [
            item.backend
            for process in before.run.processes
            for item in process.records(TrialResult)
        ]
        made = Verification(
            backend=backends[0] if backends else "",
            baseline=baselines[0],
            trials=tuple(trial(*tried) for tried in reports),
            deterministic=deterministic,
            baseline_again=baselines[1] if len(baselines) > 1 else None,
        )
        # What helped together: changes of lines alone, which are what is kept, and all.
        both = () if self.stop else (together(made, lines_only=True), together(made))
        combined = [*dict.fromkeys(candidate for candidate in both if candidate is not None)]
        self._planned += len(combined)
        more = tuple(trial(*tried) for tried in self._reports(combined))
        return dataclasses.replace(
            made, trials=(*made.trials, *more), not_tried="it was interrupted" if self.stop else ""
        )

    def _reports(self, planned: list[Candidate]) -> Iterator[tuple[Candidate, Report | None, str]]:
        for candidate in planned:
            what = shown_changes(candidate.settings, candidate.rewrites)
            report, failure = self._report(candidate, what if candidate.is_single else "together")
            if self.stop:
                return
            yield candidate, report, failure

    def _report(self, candidate: Candidate, what: str) -> tuple[Report | None, str]:
        """The report of one process, or None and why there is none."""
        self._done += 1
        doing = f"trying {what} ({self._done} of {self._planned})"
        outcome = self._run(applied(self._request, candidate), doing)
        self.stop = self.stop or outcome.stop
        if outcome.run is None or outcome.failure:
            return None, _failure(candidate, outcome)
        rules = plugins.load_rules("run")
        return make_report(outcome.run, rules), ""
