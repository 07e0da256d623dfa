"""What was tried, in the words and numbers that every renderer uses."""

from collections.abc import Iterable, Iterator

from inspector.records.trial import Comparison
from inspector.report.escaping import one_line
from inspector.report.finding import Finding
from inspector.report.settings import shown_changes, shown_setting, shown_settings
from inspector.report.value_names import value_named
from inspector.report.wording import count, duration, listed
from inspector.run.verification import AdviceTrial, Candidate, Measured, Trial, Verification
from inspector.shared.edit import Rewrite

_COLUMNS = ("graphs", "breaks", "warm call", "", "compile time", "outputs")
_COMPILATIONS = "compilations"

_TIMES = "\N{MULTIPLICATION SIGN}"
_TO = "\N{RIGHTWARDS ARROW}"
_SAME = "\N{ALMOST EQUAL TO}"
_CHANCE = 1.0  # a ratio that is no more than chance


def trial_title(verification: Verification) -> str:
    """What the table is about."""
    if verification.baseline is None:
        return f"nothing was tried: {one_line(verification.not_tried)}"
    own = "the file's own backend"
    backend = f"backend {verification.backend}" if verification.backend else own
    return f"trials, each in a fresh process ({one_line(backend)})"


def trial_verdict(verification: Verification, findings: Iterable[Finding] = ()) -> str:
    """What leaves the fewest graph breaks, graphs and compilations; empty if nothing was tried."""
    before = verification.baseline
    if before is None or not verification.trials:
        return ""
    helping = [(t, t.measured) for t in verification.trials if t.helps and t.measured]
    if not helping:
        left = [item.place for item in findings if item.example and not item.rewrites]
        places = listed([f"{place.file}:{place.line}" for place in left], 3)
        by_hand = f"; no automatic edit for {places}: apply the fix manually" if left else ""
        return one_line(f"no trial helped{by_hand}")
    best, after = min(
        helping,
        key=lambda pair: (
            pair[1].graph_breaks,
            pair[1].graphs,
            pair[1].compilations,
            verification.ratio(pair[1]) or _CHANCE,
            bool(pair[0].candidate.settings),
        ),
    )
    numbers = (
        ("graph breaks", before.graph_breaks, after.graph_breaks),
        ("graphs", before.graphs, after.graphs),
        ("compilations", before.compilations, after.compilations),
    )
    changes = [f"{name} {was:,} {_TO} {now:,}" for name, was, now in numbers if was != now]
    changes.append(f"outputs {_outputs(after.outputs, verification)}")
    ratio = verification.ratio(after) if verification.is_lowered else None
    if ratio is not None:
        times = "unchanged" if ratio == _CHANCE else f"{ratio:.2f}{_TIMES}"
        changes.append(f"warm call {times}")
    return one_line(f"{_named(best.candidate)}: {', '.join(changes)}")


def trial_columns(verification: Verification) -> tuple[str, ...]:
    """Titles of the columns; breaks are records at sites."""
    has_lines = any(trial.candidate.rewrites for trial in verification.trials)
    counted = (_COMPILATIONS,) if _tells_compilations(verification) else ()
    return ("setting or line" if has_lines else "setting", *counted, *_COLUMNS)


def _tells_compilations(verification: Verification) -> bool:
    return any(measured.recompiles for measured in _all_measured(verification))


def trial_rows(verification: Verification) -> tuple[tuple[str, ...], ...]:
    """The target as it is, then every trial; of one that failed the last cell says why."""
    baseline = verification.baseline
    if baseline is None:
        return ()
    first = ("(unchanged)", *_cells(baseline, verification, "", "reference"))
    return (first, *(_row(trial, verification) for trial in verification.trials))


def _row(trial: Trial, verification: Verification) -> tuple[str, ...]:
    candidate = trial.candidate
    setting = shown_changes(candidate.settings, candidate.rewrites)
    if not candidate.is_single:
        what = "everything that helps" if candidate.settings else "lines that help"
        setting = f"({what}, together)"
    if trial.measured is None:
        blank = [""] * (len(trial_columns(verification)) - 2)
        return (setting, *blank, one_line(trial.failure) or "it failed")
    outputs = _outputs(trial.measured.outputs, verification)
    ratio = _ratio(trial.measured, verification)
    return (setting, *_cells(trial.measured, verification, ratio, outputs))


def _ratio(found: Measured, verification: Verification) -> str:
    ratio = verification.ratio(found)
    if ratio is None:
        return ""
    return _SAME if ratio == _CHANCE else f"{ratio:.2f}{_TIMES}"


def _cells(
    found: Measured, verification: Verification, ratio: str, outputs: str
) -> tuple[str, ...]:
    counted = (f"{found.compilations:,}",) if _tells_compilations(verification) else ()
    return (
        *counted,
        f"{found.graphs:,}",
        f"{found.graph_breaks:,} at {found.distinct_graph_breaks:,}",
        "" if found.warm_call_ns is None else duration(found.warm_call_ns),
        ratio,
        duration(found.compile_time_ns),
        outputs,
    )


def _outputs(outputs: Comparison | None, verification: Verification) -> str:
    if verification.deterministic is False:
        return "vary"
    if outputs is None or outputs.equal is None:
        return "unknown"
    return "equal" if outputs.equal else "differ"


def trial_notes(verification: Verification) -> tuple[str, ...]:
    """What else there is to know about the table, one sentence each."""
    return tuple(dict.fromkeys(map(one_line, _notes(verification))))


def _notes(verification: Verification) -> Iterator[str]:
    if verification.baseline is not None and not verification.is_lowered:
        yield "times are for the eager backend, not for Inductor"
    yield from _busy(verification)
    if verification.deterministic is False:
        yield "outputs differ between runs of the unchanged model, so they cannot be compared"
    for trial in verification.trials:
        yield from _notes_of(trial, deterministic=bool(verification.deterministic))
    uncompared = verification.baseline and verification.baseline.outputs
    if uncompared and uncompared.uncompared:
        yield f"{count(uncompared.uncompared, 'output')} of a type that cannot be compared"
    if verification.rewrites_left:
        left = count(verification.rewrites_left, "more change")
        yield f"not tried yet: {left}; apply some of the changes above, then run --verify again"
    if verification.baseline is not None and verification.not_tried:
        yield f"not everything was tried: {verification.not_tried}"


def _busy(verification: Verification) -> Iterator[str]:
    """Why there is no ratio of some, or of none."""
    without = [m for m in (verification.baseline, verification.baseline_again) if m]
    times = sorted(m.warm_call_ns for m in without if m.warm_call_ns)
    if times and verification.ratio_is_known:
        shown = " and ".join(map(duration, times))
        yield f"{_SAME}: within noise (the unchanged model took {shown} per warm call)"
    elif times:
        yield "no ratios: warm calls of the unchanged model vary too much"
    if any(measured.was_busy for measured in _all_measured(verification)):
        yield (
            "the machine was busy, and warm calls vary too much to compare; set OMP_NUM_THREADS=1"
        )


def _all_measured(verification: Verification) -> Iterator[Measured]:
    found = (
        verification.baseline,
        *(trial.measured for trial in verification.trials),
        verification.baseline_again,
    )
    yield from (measured for measured in found if measured is not None)


def _notes_of(trial: Trial, *, deterministic: bool) -> Iterator[str]:
    candidate = trial.candidate
    if not candidate.is_single:
        which = "together" if candidate.settings else "lines together"
        yield f"{which}: {_named(candidate)}"
        return
    name = _change(candidate.rewrites[0]) if candidate.rewrites else candidate.settings[0][0]
    if trial.candidate.caution:
        yield f"{name}: {trial.candidate.caution}"
    if trial.added:
        more = count(trial.added, "more finding")
        yield f"{name}: reveals {more}"
    outputs = trial.measured.outputs if trial.measured else None
    if trial.worsens and trial.removed:
        yield f"{name}: worse than the unchanged model"
    if outputs and outputs.equal is False and deterministic:
        error = outputs.max_abs_error
        most = f" (largest difference {error:.3g})" if error else ""
        differing = count(outputs.differing, "value")
        yield f"{name}: outputs differ in {differing}{most}: {value_named(outputs.first)}"


def _named(candidate: Candidate) -> str:
    """What was tried, in full where it is one thing; of several each in a few words."""
    if candidate.is_single:
        return shown_changes(candidate.settings, candidate.rewrites)
    settings = [shown_settings(candidate.settings)] if candidate.settings else []
    return " + ".join((*settings, *map(_change, candidate.rewrites)))


def _change(rewrite: Rewrite) -> str:
    return f"{rewrite.place} ({rewrite.advice})"


def trial_sentence(tried: AdviceTrial) -> str:
    """What a trial says about a finding."""
    outputs = {True: "stay equal", False: "differ", None: "not compared"}[tried.outputs_equal]
    lines = (f"{rewrite.place}: {rewrite.in_sentence}" for rewrite in tried.rewrites)
    setting = " + ".join((*map(shown_setting, tried.settings), *lines))
    was, now = tried.recompiles or (0, 0)
    removes = "removes it"
    if was > 1 or now:
        removes = f"leaves {now:,} of {count(was, 'recompilation')} of the function"
    ratio = tried.warm_call_ratio
    times = "" if ratio is None else "; no measurable difference per warm call"
    if ratio not in {None, _CHANCE}:
        times = f"; warm call time {ratio:.2f}{_TIMES}"
    return one_line(f"{setting} {removes} (tried; outputs {outputs}{times})")
