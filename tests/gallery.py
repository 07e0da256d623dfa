"""Draws the gallery: ``python -m tests.gallery`` writes reports/gallery, with torch and Graphviz.

What is drawn depends on the versions of torch and Graphviz: the pictures are to be looked at, and
nothing compares them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GALLERY = ROOT / "reports" / "gallery"
# The sample, the options, and the name of the picture; of several graphs each gets its own.
PICTURES = (
    ("transformer_block", "--gpu h200 --no-grad", "transformer_block-fusion.svg"),
    ("transformer_block", "--stage dynamo", "transformer_block-dynamo.svg"),
    ("training_step", "--gpu h200 --train", "training_step-fusion.svg"),
    ("training_step", "--train --stage forward", "training_step-forward.svg"),
    ("resnet50", "--no-grad --stage inference", "resnet50-inference.svg"),
    ("bert_base", "--gpu h200 --no-grad", "bert_base-fusion.svg"),
)
# Rooflines are drawn from recordings of a GPU.
ROOFLINES = (
    ("resnet50/h200-graphs.zip", "resnet50-roofline.svg"),
    ("transformer_block/h200-graphs-training.zip", "transformer_block-roofline.svg"),
)
COMMAND = (sys.executable, "-m", "inspector.cli")


def main() -> None:
    """Draws all of them."""
    GALLERY.mkdir(exist_ok=True)
    for old in GALLERY.glob("*.svg"):
        old.unlink()
    for sample, options, name in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            saved = ["--no-progress", "--save", f"{folder}/recording"]
            draw("graph", f"samples/{sample}/model.py", *options.split(), *saved, name=name)
    for recording, name in ROOFLINES:
        draw("profile", f"samples/{recording}", name=name)


def draw(*arguments: str, name: str) -> None:
    """Draws one picture."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    command = [*COMMAND, *arguments, "-o", str(GALLERY / name)]
    subprocess.run(command, cwd=ROOT, check=True, env=environment)


if __name__ == "__main__":
    main()
