"""How many transformers models, in the size that their authors gave them, ``--fake`` gets through.

    python benchmarks/fake_transformers.py [--only bert] [--gpu h200]
                                           [--output reports/fake_transformers.md]

Every model is built from its configuration's defaults with random weights, and called once for
inference. A model that needs the value of a tensor is partial, with the line; nothing is compiled
beyond the kernels' sources.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (
    "bert", "roberta", "distilbert", "albert", "electra", "mpnet", "deberta-v2", "camembert",
    "xlm-roberta", "ernie", "convbert", "squeezebert", "funnel", "longformer", "big_bird",
    "gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "bloom", "llama", "mistral", "mixtral", "qwen2",
    "gemma", "gemma2", "phi", "phi3", "falcon", "stablelm", "codegen", "mamba", "xglm",
)  # fmt: skip
VISION = ("vit", "deit", "swin", "convnext", "resnet", "dinov2", "beit", "regnet", "segformer")
SECONDS = 300
TARGET = """
import torch
from transformers import MODEL_MAPPING
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

config = CONFIG_MAPPING[{name!r}]()
config.use_cache = False
kind = MODEL_MAPPING[type(config)]
model = (kind[0] if isinstance(kind, tuple) else kind)(config).eval()
size = getattr(config, "image_size", None) or 224
example_inputs = (
    {{"pixel_values": torch.randn(1, config.num_channels, size, size)}}
    if {vision!r}
    else {{"input_ids": torch.randint(2, config.vocab_size, (1, 128))}}
)
"""


def outcome(name: str, gpu: str, *, vision: bool) -> tuple[str, str, str]:
    """Graphs, kernels, and what became of a model."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.py").write_text(TARGET.format(name=name, vision=vision))
        command = [
            sys.executable, str(ROOT / "cli.py"), "kernels", "model.py", "--gpu", gpu, "--fake",
            "--no-grad", "--no-compile", "--no-progress", "--timeout", str(SECONDS), "--save",
            "saved", "-o", "report.json",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        report = Path(folder) / "report.json"
        if not report.exists():
            return "-", "0", f"failed: {_last_line(done.stderr)}"
        found = json.loads(report.read_text(encoding="utf-8"))
    kernels = str(len(found["kernels"]))
    errors = [target["error"] for target in found["targets"] if target["error"]]
    recording = found["recording"]
    wrong = recording.get("error") or recording.get("partial") or "; ".join(errors)
    return str(len(found["graphs"])), kernels, f"partial: {_short(wrong)}" if wrong else "complete"


def _last_line(text: str) -> str:
    return _short((text.strip().splitlines() or ["nothing was said"])[-1])


def _short(text: str) -> str:
    line = text.strip().partition("\n")[0].replace("|", "\\|")
    return line if len(line) < 160 else f"{line[:160]}…"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    os.environ.pop("INSPECTOR_RECORD", None)
    lines = ["| model | graphs | kernels | |", "|:--|--:|--:|:--|"]
    asked = [(name, False) for name in TEXT] + [(name, True) for name in VISION]
    asked = [(name, vision) for name, vision in asked if options.only in name]
    complete = 0
    for name, vision in asked:
        graphs, kernels, what = outcome(name, options.gpu, vision=vision)
        complete += what == "complete"
        lines.append(f"| {name} | {graphs} | {kernels} | {what} |")
        print(lines[-1], flush=True)
        head = [
            "# Models of transformers without memory",
            "",
            (
                f"`python benchmarks/fake_transformers.py`, {options.gpu}: {complete} of "
                f"{len(lines) - 2} complete."
            ),
            "",
        ]
        if options.output:
            options.output.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
