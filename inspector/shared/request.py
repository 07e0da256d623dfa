"""What a user asked to be compiled, as the parent passes it to the child."""

import dataclasses

from inspector.shared.edit import Edit, Setting
from inspector.shared.message import Message

# What a recording's description says of a request: the first always, the others where asked for.
_SAID = (
    "inputs", "device", "dtype", "train", "dynamic", "fullgraph", "mode", "backend", "calls",
    "measure", "guards",
)  # fmt: skip
_SAID_WHERE_ASKED = ("gpu", "no_grad", "fake", "generates", "profile")


@dataclasses.dataclass(frozen=True, slots=True)
class Request(Message):
    """A target with its settings.

    Attributes:
        target: ``model.py``, ``model.py:name`` or ``package.module:name``.
        inputs: The ``--input`` texts in order, unparsed (see `inspector.shared.input_spec`).
        device: Where model and inputs go (``cpu``, ``cuda``, ``cuda:1``), or None to leave them.
        train: Whether a call is forward, sum of the outputs, and backward.
        dynamic: ``torch.compile``'s ``dynamic``; None leaves the choice to torch.
        backend: ``torch.compile``'s ``backend``; ``eager`` runs the captured graphs unlowered.
        calls: How often each input is called to be measured, after two calls that are not.
        marks: Dimensions of the inputs to mark as dynamic, each ``name:dimension``.
        gpu: The GPU to generate code for (`inspector.shared.gpu_table`), or None.
        fake: Whether large tensors get no memory and no values; with ``gpu`` alone.
        prims: Whether they are also decomposed into primitives, with ``graphs`` alone.
        profile: Whether kernels are timed in place, and the machine's limits are measured.
        fresh_ceilings: Whether the machine's limits are measured even if they are known.
        seconds: About how long calls with each input are timed, with ``profile``; None for 12.
        kernel: The kernel to benchmark alone, or a part of its name, or None; with ``profile``.
        generates: Whether Inductor's code is generated and not compiled, and graphs run without it.
        levers: Whether the settings that make guards cheaper are tried after the recorded calls.
        edits: Changes to make in the project's files when they are loaded; the files stay.
        command: The command that it is asked for by, where nothing above shows that.
    """

    target: str
    inputs: tuple[str, ...] = ()
    device: str | None = None
    dtype: str | None = None
    train: bool = False
    dynamic: bool | None = None
    fullgraph: bool = False
    mode: str | None = None
    backend: str = "eager"
    calls: int = 20
    measure: bool = True
    guards: bool = False
    config: tuple[Setting, ...] = ()
    line_times: bool = False
    dynamic_sources: str | None = None
    marks: tuple[str, ...] = ()
    keep_outputs: str | None = None
    compare_outputs: str | None = None
    gpu: str | None = None
    no_grad: bool = False
    fake: bool = False
    graphs: bool = False
    prims: bool = False
    profile: bool = False
    counters: bool = False
    fresh_ceilings: bool = False
    seconds: float | None = None
    kernel: str | None = None
    generates: bool = False
    levers: bool = False
    edits: tuple[Edit, ...] = ()
    command: str = ""

    @property
    def asked(self) -> dict[str, object]:
        """The settings by name, as a recording's description has them."""
        asked = (name for name in _SAID_WHERE_ASKED if getattr(self, name))
        return {name: getattr(self, name) for name in (*_SAID, *asked)}

    @property
    def verb(self) -> str:
        """The command that it is asked for by, as far as it shows: what to type again."""
        if self.command:
            return self.command
        if self.profile:
            return "profile"
        return "guards" if self.guards else "explain"
