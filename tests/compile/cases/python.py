"""Ordinary Python that Dynamo cannot follow."""

import copy
import importlib
import json
import sys
import threading
import time
import torch
from torch import Tensor

def deep_copy(x: Tensor) -> Tensor:
    """The break's innermost frame is in the standard library."""
    y = copy.deepcopy(x)
    return y + 1


def define_class(x: Tensor) -> Tensor:
    """A class statement in a function."""

    class Local:
        scale = 2

    return x * Local.scale


def custom_hash(x: Tensor) -> Tensor:
    """A class statement, then a hash that prints."""

    class Key:
        def __hash__(self) -> int:
            print("hash")
            return 1

    table = {}
    table[Key()] = x
    return x + len(table)


def inspect_frame(x: Tensor) -> Tensor:
    """The interpreter's frame."""
    sys._getframe()
    return x + 1


def run_exec(x: Tensor) -> Tensor:
    """Code made from text, while compiling."""
    exec("a = 1")
    return x + 1


def reload_module(x: Tensor) -> Tensor:
    """The import machinery."""
    importlib.reload(json)
    return x + 1


def start_thread(x: Tensor) -> Tensor:
    """Another thread."""
    thread = threading.Thread(target=time.time)
    thread.start()
    thread.join()
    return x + 1


def set_of_tensors(x: Tensor) -> Tensor:
    """A tensor in a set: no break."""
    return x + len({x})
