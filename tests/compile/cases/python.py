"""Ordinary Python that Dynamo cannot follow."""

import copy
import datetime
import importlib
import inspect
import json
import os
import random
import re
import sys
import threading
import time
import types
import uuid
import weakref

import torch
from torch import Tensor

LOCK = threading.Lock()


def deep_copy(x: Tensor) -> Tensor:
    """The break's innermost frame is in the standard library."""
    y = copy.deepcopy(x)
    return y + 1


def identity(x: Tensor) -> Tensor:
    """``id`` of a tensor."""
    return x + (id(x) % 2)


def hash_of_tensor(x: Tensor) -> Tensor:
    """``hash`` of a tensor."""
    return x + hash(x) % 2


def seed_random(x: Tensor) -> Tensor:
    """Seeding Python's random numbers."""
    random.seed(0)
    return x + random.random()


def seed_torch(x: Tensor) -> Tensor:
    """Seeding torch's."""
    torch.manual_seed(0)
    return x + torch.rand(4, 4)


def define_class(x: Tensor) -> Tensor:
    """A class statement in a function."""

    class Local:
        scale = 2

    return x * Local.scale


def define_tensor_subclass(x: Tensor) -> Tensor:
    """A tensor subclass made on the way."""

    class Marked(torch.Tensor):
        pass

    return x.as_subclass(Marked) + 1


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


def inspect_signature(x: Tensor) -> Tensor:
    """A function's signature."""
    names = inspect.signature(deep_copy).parameters
    return x + len(names)


def inspect_stack(x: Tensor) -> Tensor:
    """The whole stack."""
    depth = len(inspect.stack())
    return x + min(depth, 1)


def data_pointer(x: Tensor) -> Tensor:
    """A tensor's address."""
    return x + (x.data_ptr() % 2)


def run_exec(x: Tensor) -> Tensor:
    """Code made from text, while compiling."""
    exec("a = 1")
    return x + 1


def run_eval(x: Tensor) -> Tensor:
    """An expression made from text."""
    return x + eval("1 + 1")


def reload_module(x: Tensor) -> Tensor:
    """The import machinery."""
    importlib.reload(json)
    return x + 1


def clock(x: Tensor) -> Tensor:
    """The time, the usual way to time a layer."""
    start = time.perf_counter()
    y = x @ x
    elapsed = time.perf_counter() - start
    return y + elapsed * 0


def date(x: Tensor) -> Tensor:
    """A C extension type's constructor."""
    return x + datetime.datetime.now().year


def parse_json(x: Tensor) -> Tensor:
    """A C function under the standard library."""
    return x + json.loads("1")


def regular_expression(x: Tensor) -> Tensor:
    """A compiled pattern."""
    return x + len(re.findall("a", "banana"))


def environment(x: Tensor) -> Tensor:
    """Writing an environment variable."""
    os.environ["TRUTH_CASE"] = "1"
    return x + 1


def list_folder(x: Tensor) -> Tensor:
    """A system call."""
    return x + len(os.listdir("/dev/shm")) * 0


def local_names(x: Tensor) -> Tensor:
    """``locals`` is traced: no break."""
    return locals()["x"] + 1


def namespace(x: Tensor) -> Tensor:
    """A simple namespace."""
    return types.SimpleNamespace(value=x).value + 1


def random_identifier(x: Tensor) -> Tensor:
    """A random UUID."""
    return x + len(str(uuid.uuid4()))


def weak_reference(x: Tensor) -> Tensor:
    """A weak reference to a tensor."""
    return weakref.ref(x)() + 1


def lock(x: Tensor) -> Tensor:
    """A lock as a context manager."""
    with LOCK:
        x = x + 1
    return x * 2


def start_thread(x: Tensor) -> Tensor:
    """Another thread."""
    thread = threading.Thread(target=time.time)
    thread.start()
    thread.join()
    return x + 1


def set_of_tensors(x: Tensor) -> Tensor:
    """A tensor in a set: no break."""
    return x + len({x})
