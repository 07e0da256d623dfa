"""Hooks that are registered after the module was compiled."""

from collections.abc import Iterator, Sequence

from inspector.records.calls import LateHook
from inspector.report.finding import Finding
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.wording import count, listed
from inspector.run.run import Run
from inspector.shared.stack import project_frame

_MOST_CLASSES = 4
_RESET = "Call `torch._dynamo.reset()` after this line. The next call compiles with the hook."
_GUARD = (
    "Set `torch._dynamo.config.skip_nnmodule_hook_guards = False` before the first call. A new "
    "hook then causes a recompilation."
)


class LateHookRule(Rule[Run, Finding]):
    """A hook is registered on a module that is already compiled."""

    id = "late-hook"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per line and kind of hook."""
        for process in run.processes:
            found: dict[tuple[str, int, str], list[LateHook]] = {}
            for hook in process.late_hooks:
                place = project_frame(hook.stack, run.roots)
                if place is not None:
                    found.setdefault((place.file, place.line, hook.hook), []).append(hook)
            for hooks in found.values():
                yield _finding(run, hooks)


def _finding(run: Run, hooks: Sequence[LateHook]) -> Finding:
    stack = hooks[0].stack
    place = project_frame(stack, run.roots)
    kind = hooks[0].hook
    classes = listed([*dict.fromkeys(hook.module_class for hook in hooks)], _MOST_CLASSES)
    one = len(hooks) == 1
    what = f"this {kind} never runs" if one else f"these {count(len(hooks), kind)} never run"
    return Finding(
        **RULE.at(run, place, kind, stack=stack),
        message=f"{what}: compiled before ({classes})",
        why="The compiled code has no hooks, and Dynamo does not guard on hooks added later "
        "(skip_nnmodule_hook_guards).",
        fix="Register it before the first compiled call.",
        alternatives=(_RESET, _GUARD),
        evidence="inspector_late_hook",
    )


RULE = LateHookRule()
