"""A request's settings as the options that a command takes."""

from collections.abc import Iterator, Mapping

_EAGER = ("explain", "guards")  # commands whose --backend is eager by default; else inductor
_GPU = ("graph", "kernels", "diff")  # commands that generate code for a GPU that is not here
_NO_GRAD = (*_GPU, "numerics", "profile", "repro")
_BENCH = "bench"  # compiles with many settings, so that none of torch.compile's is an option


def typed_options(settings: Mapping[str, object], command: str) -> list[str]:
    """``["--input", "f32[8,4]", "--backend", "inductor"]``: what a command needs to do the same."""
    compiles = () if command == _BENCH else _of_compile(settings, command)
    return [word for option in (*_of_model(settings, command), *compiles) for word in option]


def _of_model(settings: Mapping[str, object], command: str) -> Iterator[tuple[str, ...]]:
    inputs = settings.get("inputs")
    for text in inputs if isinstance(inputs, list | tuple) else ():
        yield "--input", str(text)
    gpu = settings.get("gpu") if command in _GPU else None
    for name in ("device", "dtype", "python"):
        if settings.get(name) and not (name == "device" and gpu):
            yield f"--{name}", str(settings[name])
    if settings.get("train"):
        yield ("--train",)
    if gpu:
        yield "--gpu", str(gpu)
    if gpu and settings.get("fake"):
        yield ("--fake",)
    if command in _NO_GRAD and settings.get("no_grad"):
        yield ("--no-grad",)


def _of_compile(settings: Mapping[str, object], command: str) -> Iterator[tuple[str, ...]]:
    backend = settings.get("backend")
    # The eager backend is never asked for by name: it is what explain and guards compile with.
    if backend and backend != "eager" and (command in _EAGER or backend != "inductor"):
        yield "--backend", str(backend)
    if settings.get("mode"):
        yield "--mode", str(settings["mode"])
    if settings.get("dynamic") is not None:
        yield ("--dynamic" if settings["dynamic"] else "--no-dynamic",)
    if settings.get("fullgraph"):
        yield ("--fullgraph",)
