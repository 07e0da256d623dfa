"""Cold starts that wait for the C++ compiler."""

from collections.abc import Iterator

from inspector.features.compile_time.cold_start import cold_start, most_ns, most_of
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, duration
from inspector.run.run import Run

_CHECK = "C++ vector check"
_STAGES = ("C++ compilation", _CHECK)


class CppTimeRule(Rule[Run, Finding]):
    """The C++ compiler takes most of the compile time."""

    id = "cpp-compile-time"
    severity = Severity.INFO

    def check(self, run: Run) -> Iterator[Finding]:
        """At most one finding."""
        texts = [text for process in run.processes for text in process.codes.texts]
        if texts and all(text.is_ahead for text in texts):
            return  # AOTInductor's: its package is what a later start loads
        cold = cold_start(run)
        spent_ns = most_ns(cold, *_STAGES)
        if not spent_ns:
            return
        place = most_of(cold, _STAGES)
        check_ns = sum(stage.time_ns for stage in cold.stages if stage.stage == _CHECK)
        files = sum(use.misses for use in cold.caches if use.cache == "C++")
        checks = f"{duration(check_ns)} of that time for {count(cold.vector_checks, 'small file')}"
        yield Finding(
            **self.at(run, place),
            message=f"the C++ compiler takes {duration(spent_ns)} of the "
            f"{duration(cold.time_ns)} compile time",
            why=f"{count(files, 'file')} were compiled (headers and kernels)"
            + (f"; {checks} that probe vector instructions" if check_ns else ""),
            fix="Keep the cache folder between starts: TORCHINDUCTOR_CACHE_DIR on a volume, or "
            "torch.compiler.save_cache_artifacts() and load_cache_artifacts().",
            alternatives=(
                (
                    "Set TORCHINDUCTOR_VEC_ISA_OK=1 where the compiler is known to make the vector "
                    "instructions that the CPU has."
                ),
            )
            if check_ns
            else (),
            evidence="chromium_event",
        )


RULE = CppTimeRule()
