"""Whose code a file is: the user's project, an installed library, torch, or Python itself."""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
from pathlib import PurePath

_STDLIB = re.compile(r"/lib(?:64)?/python3(?:\.\d+)?t?/(?!site-packages/|dist-packages/)|^<frozen ")
_SITE = re.compile(r"/(?:site|dist)-packages/")
# What Inductor generated, in whatever cache folder (``get_path`` in torch/_inductor/codecache.py).
_GENERATED = re.compile(r"/(?P<start>[a-z2-7]{2})/c(?P=start)[a-z2-7]{30,}\.py$")
# A graph that runs as Python is torch's code as well (torch/fx/graph_module.py).
_TORCH = re.compile(
    r"/(?:site|dist)-packages/(?:torch|torch_xla|triton|functorch)/|^<eval_with_key>"
)
_TYPED = re.compile(r"^<(?:ipython-input-|stdin>|console>|doctest )")
# Torch's own frames that stand on the stack of every compilation tell where a torch that was not
# installed as a wheel lives.
_TORCH_ANCHOR = re.compile(r"(?P<root>.*/torch)/(?:_dynamo/eval_frame|nn/modules/module)\.py")


class Owner(enum.Enum):
    """Whose code a file is."""

    PROJECT = "project"
    LIBRARY = "library"
    TORCH = "torch"
    STDLIB = "stdlib"
    GENERATED = "generated"
    RECORDER = "recorder"


@dataclasses.dataclass(frozen=True, slots=True)
class Roots:
    """The folders that tell whose code a file is."""

    project: str = ""
    torch: str = ""
    stdlib: str = ""
    site: tuple[str, ...] = ()
    own: str = ""

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - stacks name few files, very often
    def owner(self, file: str) -> Owner:
        """Whose code a file is; the folders decide, then the shape of the path."""
        if file.startswith("<") and not file.startswith(("<frozen ", "<eval_with_key>")):
            return Owner.PROJECT if _TYPED.search(file) else Owner.GENERATED
        path = file.replace("\\", "/")
        if _inside(path, self.own):
            return Owner.RECORDER
        if _inside(path, self.torch) or _TORCH.search(path) or _GENERATED.search(path):
            return Owner.TORCH
        if _SITE.search(path) or any(_inside(path, folder) for folder in self.site):
            return Owner.LIBRARY
        if _inside(path, self.stdlib) or _STDLIB.search(path):
            return Owner.STDLIB
        return Owner.PROJECT

    def is_user(self, file: str) -> bool:
        """Whether a file is neither torch's, nor the standard library's, nor ours."""
        return self.owner(file) not in (Owner.TORCH, Owner.STDLIB, Owner.RECORDER)

    def shown(self, file: str) -> str:
        """A file's name as a person sees it: relative to the project or to its packages."""
        path = file.replace("\\", "/")
        if match := _SITE.search(path):  # an environment can be in the project's folder
            return path[match.end() :]
        for folder in (self.project, *sorted(self.site, key=len, reverse=True)):
            if _inside(path, folder):
                return path[len(folder.rstrip("/")) + 1 :]
        return file

    def with_torch_from(self, file: str) -> Roots:
        """These roots, completed by what one file name of a logged stack gives away."""
        match = None if self.torch else _TORCH_ANCHOR.fullmatch(file.replace("\\", "/"))
        return dataclasses.replace(self, torch=match["root"]) if match else self


def _inside(path: str, folder: str) -> bool:
    return bool(folder) and PurePath(path).is_relative_to(folder)
