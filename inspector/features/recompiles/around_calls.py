"""Settings of Dynamo that are made for the calls of one compiled function alone."""

MANY = 64
"""A limit of recompilations for more values than one calls few."""


def patch(settings: str) -> str:
    """The context, or the decorator, in which settings hold."""
    return f"torch._dynamo.config.patch({settings})"


def around_calls(settings: str) -> str:
    """Where a setting goes: it is looked at when a call compiles, which any of them can do.

    ``torch._dynamo.config.X = …`` would hold for all that the program compiles, and on torch 2.12
    and 2.13 only in the thread that says it.

    Args:
        settings: As arguments: ``allow_empty_graphs=True``.
    """
    return f"make every call under {patch(settings)}"


def limit_of(number: int | str) -> str:
    """How the limit of one compiled function is raised; the argument is torch 2.12's."""
    return (
        f"torch.compile(…, recompile_limit={number}) (torch 2.12 and later; 8 by default), or "
        f"{around_calls(f'recompile_limit={number}')}"
    )


def under(setting: str) -> str:
    """How to make the calls with a setting (``allow_rnn=True``): the beginning of a sentence.

    Around every call, as any of them can compile again. Within the compiled function
    ``patch_dynamo_config`` comes too late for sizes (2.11 to 2.13; tried).
    """
    return (
        f"`with {patch(setting)}: model(x)` for every call of the compiled function (or as a "
        "decorator above `torch.compile`)"
    )
