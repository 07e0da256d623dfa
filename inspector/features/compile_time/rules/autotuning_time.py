"""Cold starts that wait for autotuning."""

from collections.abc import Iterator

from inspector.features.compile_time.cold_start import cold_start, most_ns, most_of
from inspector.features.kernels.kernel_build_wording import compiled_twice
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration, listed
from inspector.run.run import Run
from inspector.trace.caches import CacheState

_MOST_NAMED = 3


class AutotuningTimeRule(Rule[Run, Finding]):
    """Autotuning takes most of the compile time."""

    id = "autotuning-time"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """At most one finding."""
        cold = cold_start(run)
        spent_ns = most_ns(cold, "autotuning")
        if not spent_ns:
            return
        tuned = [
            item
            for process in run.processes
            for item in process.lookups
            if item.cache == "autotune" and item.state is not CacheState.HIT
        ]
        tuned.sort(key=lambda item: -(item.time_taken_ns or 0))
        named = [
            f"{item.what or 'one'} {duration(item.time_taken_ns)}"
            for item in tuned
            if item.time_taken_ns
        ]
        why = f"{count(len(tuned), 'kernel')} tuned; the autotune cache had no entry"
        if named:
            why += f"; the longest: {listed(named[:_MOST_NAMED])}"
        place = most_of(cold, ("autotuning",))
        twice = compiled_twice(run)
        keep = (
            "Keep the cache folder between starts (TORCHINDUCTOR_CACHE_DIR on a volume); it "
            "stores the winners."
        )
        yield Finding(
            **self.at(run, place),
            message=f"autotuning takes {duration(spent_ns)} of {duration(cold.time_ns)} of "
            "compile time",
            why=why if twice is None else f"{why}; {twice[0]}",
            fix=keep if twice is None else twice[1],
            alternatives=(
                *(() if twice is None else (keep,)),
                (
                    'Compile without mode="max-autotune" and compare the call times. Tune '
                    "only where it pays off."
                ),
            ),
            evidence="chromium_event",
        )


RULE = AutotuningTimeRule()
