"""Options that several commands have, spelled once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.errors import UsageError
from inspector.shared.gpu_table import GPUS, known_gpu
from inspector.shared.input_parser import parse_inputs
from inspector.shared.units import parse_size

# What a flag is that nobody named, where that is not False.
_UNSAID = {"dynamic": None, "measure": True}

VERBOSE = "inspector.verbose"
_F = TypeVar("_F", bound=Callable[..., Any])


def together(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Several options as one decorator, in the order of the help."""

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _keep_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - as click calls it
    context.meta[VERBOSE] = value


def given_options(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Those options of a request that were given, by name.

    Args:
        asked: All of them; ``dynamic=False`` was asked for, other flags that are False were not.
    """
    given = {
        name: value
        for name, value in asked.items()
        if value is not None and value != () and value is not _UNSAID.get(name, False)
    }
    parse_inputs(given.get("inputs", ()))
    return given


def check_request(given: Mapping[str, Any]) -> None:
    """Refuses options that exclude each other, and a GPU that is not known."""
    if "train" in given and "no_grad" in given:
        raise UsageError("--train and --no-grad cannot be combined.", "Use one of them.")
    if "gpu" not in given:
        if "fake" in given:
            hint = "Name a GPU; `inspect kernels --list-gpus` lists them."
            raise UsageError("--fake needs --gpu.", hint)
        return
    known_gpu(given["gpu"])
    if "device" in given:
        raise UsageError(
            "--gpu and --device cannot be combined.",
            "Use one of them. With --gpu, the CPU runs the model in place of that GPU.",
        )


def option_help(command: click.Command, **texts: str) -> None:
    """Says of shared options, by name, what they are for a command where that is not the usual."""
    for option in command.params:
        if isinstance(option, click.Option) and option.name in texts:
            option.help = texts[option.name]


def always_inductor(command: click.Command) -> None:
    """For a command that compiles with Inductor unless asked otherwise, and never measures."""
    command.params = [item for item in command.params if item.name not in {"calls", "measure"}]
    said = "Use this torch.compile backend.  [default: inductor]"
    option_help(command, backend=said)


def _bytes(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """The number of bytes that ``500000``, ``64M`` or ``2G`` stands for."""
    if value is None:
        return None
    try:
        return parse_size(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


size_option = click.option(
    "--max-bytes", callback=_bytes, metavar="SIZE",
    help="Limit the logs of each process to this size (64M, 2G). Above half this size, details "
    "are dropped; counts stay exact.",
)  # fmt: skip

target_options = together(
    click.option(
        "--input", "inputs", multiple=True, metavar="SPEC",
        help="Describe an input: 'f32[8,3,224]', 'flag=true'. Repeat it in argument order, or "
        "name the argument: 'ids=i64[1,128]<30522'.",
    ),
    click.option(
    "--device", metavar="DEVICE", help="Move the model and inputs to a device: cpu, cuda, cuda:1."
    ),
    click.option("--dtype", metavar="DTYPE", help="Convert floating-point tensors to f32, bf16, …"),
    click.option(
        "--train",
        is_flag=True,
        help="Run a training step: forward, loss (sum of the outputs), backward.",
    ),
    click.option("--dynamic/--no-dynamic", default=None, help="Set dynamic= of torch.compile."),
    click.option("--fullgraph", is_flag=True, help="Compile with fullgraph=True."),
    click.option("--mode", metavar="MODE", help="Compile with this mode: reduce-overhead, …"),
    click.option(
        "--backend", metavar="NAME",
        help="Use this torch.compile backend. The default captures the same graphs and runs them "
        "eagerly, without lowering.  [default: eager]",
    ),
    click.option(
        "--calls", type=click.IntRange(1), metavar="N",
        help="Make N warm calls per input, or fewer if they take more than 5 s.  "
        "[default: 20]",
    ),
    click.option(
        "--no-measure", "measure", flag_value=False, default=True,
        help="Make two calls per input and measure nothing.",
    ),
)  # fmt: skip
"""What to compile and how: the options that turn into a `Request`."""

no_grad_option = click.option(
    "--no-grad", is_flag=True, help="Call the model under torch.no_grad(), for inference."
)
compile_option = click.option(
    "--compile/--no-compile", "compiles", default=None,
    help="Compile the kernels to show registers and predicted times. Kernels from a recording are "
    "untrusted code and need --compile.",
)  # fmt: skip

gpu_options = together(
    click.option(
        "--gpu", metavar="NAME",
        shell_complete=lambda _context, _, text: [key for key in GPUS if key.startswith(text)],
        help="Generate code for this GPU, even if this machine lacks it: h200, …",
    ),
    no_grad_option,
    click.option(
        "--fake", is_flag=True,
        help="With --gpu: allocate no large tensors and run nothing, for models of any size.",
    ),
)  # fmt: skip
"""A GPU that code is generated for, and what models need to run without it."""

process_options = together(
    click.option(
        "--python", metavar="PATH",
        help="Record with this interpreter, such as .venv/bin/python.",
    ),
    click.option(
        "--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
        help="Stop the program after this time and keep the partial recording.",
    ),
    click.option(
        "--save", type=click.Path(path_type=Path), metavar="DIR",
        help="Save the recording to a folder or a .zip.",
    ),
)  # fmt: skip
"""How the recorded process is run."""


def _one_file(
    _ctx: click.Context, _param: click.Parameter, values: tuple[Path, ...]
) -> Path | None:
    """The one file to write; a second one would be lost without a word."""
    if len(values) > 1:
        names = ", ".join(map(str, values))
        raise click.BadParameter(
            f"only one output file is allowed, but {len(values)} are given: {names}."
        )
    return values[0] if values else None


output_options = together(
    # Read by `inspector.cli.output.write_report` out of the context of the command.
    click.option(
        "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
        multiple=True, callback=_one_file,
        help="Write .html, .md, .json, .txt, .sarif, .junit.xml. The suffix sets the format.",
    ),
    click.option(
        "--format", "format_", metavar="FORMAT",
        help="Output format: terminal, json, markdown or github.",
    ),
    click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=_keep_verbose,
        help="Show the full report instead of one screen.",
    ),
    click.option("--no-progress", is_flag=True, help="Hide progress while recording."),
)  # fmt: skip
"""Where the report goes."""
