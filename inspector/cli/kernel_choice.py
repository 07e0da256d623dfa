"""Which kernel is meant on the command line, and the benchmark of it in a recording."""

from collections.abc import Mapping, Sequence

from inspector.errors import RecordingError, UsageError
from inspector.records.kernel_bench import KernelBench
from inspector.report.command_line import command_again
from inspector.run.run import Run
from inspector.shared.near_matches import did_you_mean, named


def check_kernel_options(given: Mapping[str, object], *, is_file: bool) -> None:
    """Refuses ``--kernel`` with a picture or a timeline (``is_file``), or with counters."""
    if "kernel" in given and ("counters" in given or is_file):
        other = "--counters" if "counters" in given else "a timeline"
        message = f"--kernel reports on one kernel and cannot be combined with {other}."
        raise UsageError(message, "Use one of them.")


def which_kernel(asked: str, found: Sequence[str], names: Sequence[str]) -> UsageError:
    """What to say where a name is no kernel's, or of several."""
    if found:
        # All of them: a list with gaps would have to be asked for by another run.
        hint = f"Name one of them: {', '.join(found)}."
        return UsageError(f"{asked!r} matches {len(found)} kernels.", hint)
    hint = did_you_mean(asked, names) if names else "The recording has no kernels."
    return UsageError(f"There is no kernel {asked!r} in the recording.", hint)


def benched(run: Run, asked: str, timed: Sequence[str] = ()) -> KernelBench:
    """The benchmark of a kernel, by a part of its name; ``timed`` are all names in the profile."""
    found = [item for process in run.processes for item in process.records(KernelBench)[-1:]]
    for bench in found:
        if bench.name and named(asked, [bench.name]):
            return bench
        if not bench.name and bench.asked == asked:
            raise which_kernel(asked, bench.matching, bench.kernels)
    if run.meta.error:
        raise RecordingError(f"No kernel was timed: {run.meta.error}", "Fix the model first.")
    problem = next(
        (text for process in run.processes for text in process.problems if "one kernel" in text), ""
    )
    why = f" ({problem})" if problem else ""
    meant = named(asked, timed)
    if timed and not problem and len(meant) != 1:
        raise which_kernel(asked, meant, timed)
    others = ", ".join(bench.name for bench in found if bench.name)
    message = f"The recording has no isolated timings of {asked!r}{why}."
    hint = f"It has timings of {others}. " if others else ""
    again = command_again(run, "profile", "--kernel", asked)
    raise RecordingError(message, f"{hint}Record them: {again}")
