"""`inspect bench` on many models: what torch.compile does to them, and how many it captures whole.

Small transformers models with random weights (`transformers_models.py`); where torchvision and timm
are installed, with ``--vision`` and ``--timm`` their classifiers at the sizes that they have, too.

    python benchmarks/bench_models.py --output reports/bench_models.md
    python benchmarks/bench_models.py --device cuda --vision --timm --output reports/models.md

With ``--save DIR`` it goes on where the same command was cut off.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRANSFORMERS = (
    "bert", "roberta", "distilbert", "albert", "electra", "mpnet", "deberta_v2", "convbert",
    "funnel", "gpt2", "gpt_neo", "gptj", "opt", "bloom", "llama", "mistral", "mixtral", "qwen2",
    "gemma2", "phi3", "falcon", "mamba", "t5", "bart", "vit",
)  # fmt: skip
VISION = (
    "resnet18", "resnet50", "mobilenet_v3_large", "efficientnet_b0", "densenet121", "vgg16",
    "squeezenet1_1", "shufflenet_v2_x1_0", "regnet_y_400mf", "convnext_tiny", "swin_t", "vit_b_16",
    "googlenet", "alexnet", "mnasnet1_0",
)  # fmt: skip
TIMM = (
    "beit_base_patch16_224", "coat_lite_mini", "convmixer_768_32",
    "deit_base_distilled_patch16_224", "fbnetc_100", "ghostnet_100", "gmlp_s16_224",
    "hrnet_w18_small", "inception_v3", "levit_128", "mixer_b16_224", "mobilevit_s", "nfnet_l0",
    "pit_b_224", "resnetv2_50", "rexnet_100", "tf_efficientnet_b0", "tnt_s_patch16_224",
    "visformer_small", "xcit_small_12_p16_224",
)  # fmt: skip
INTERRUPTED = 130
ABOUT = (
    "Those of transformers are small ones with random weights "
    "(`benchmarks/transformers_models.py`): what torch.compile saves is mostly the host's work."
)
OF_TRANSFORMERS = """
import sys
sys.path.insert(0, {folder!r})
from transformers_models import build

model, example_inputs = build({name!r})
model.eval()
"""
OF_VISION = """
import torch, torchvision

torch.manual_seed(0)
model = torchvision.models.get_model({name!r}).eval()
example_inputs = (torch.randn(32, 3, 224, 224),)
"""
OF_TIMM = """
import timm, torch

torch.manual_seed(0)
model = timm.create_model({name!r}, pretrained=False).eval()
example_inputs = (torch.randn(32, *model.default_cfg["input_size"]),)
"""


def write_models(
    folder: Path, transformers: Sequence[str], vision: Sequence[str], timm: Sequence[str]
) -> None:
    """A file for each model."""
    here = str(Path(__file__).resolve().parent)
    for name in transformers:
        (folder / f"{name}.py").write_text(OF_TRANSFORMERS.format(folder=here, name=name))
    for name in vision:
        (folder / f"{name}.py").write_text(OF_VISION.format(name=name))
    for name in timm:
        (folder / f"timm_{name}.py").write_text(OF_TIMM.format(name=name))


def main() -> None:
    """Measures, and writes what `inspect bench` says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--vision", action="store_true")
    parser.add_argument("--timm", action="store_true")
    parser.add_argument("--only", help="names of models, with commas")
    parser.add_argument("--save", type=Path, help="a folder for a recording of each model")
    parser.add_argument("--seconds", type=int, help="after which it is interrupted, as by Ctrl-C")
    parser.add_argument("--output", type=Path, required=True)
    asked, more = parser.parse_known_args()
    only = set(asked.only.split(",")) if asked.only else {*TRANSFORMERS, *VISION, *TIMM}
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        if asked.save:  # what is measured is that of this folder
            scratch = asked.save.resolve().with_name(f"{asked.save.name}-models")
        folder = scratch / "models"
        folder.mkdir(parents=True, exist_ok=True)
        vision = [name for name in VISION if name in only] if asked.vision else []
        timm = [name for name in TIMM if name in only] if asked.timm else []
        write_models(folder, [name for name in TRANSFORMERS if name in only], vision, timm)
        command = [
            sys.executable, "-m", "inspector.cli", "bench", "models", "--modes", "default",
            "--device", asked.device, "--timeout", "300", "--no-progress",
            "-o", str(asked.output.resolve()), *more,
            *(["--save", str(asked.save.resolve())] if asked.save else []),
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
        process = subprocess.Popen(command, cwd=scratch, env=environment)
        try:
            process.wait(asked.seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
    if process.returncode not in {0, INTERRUPTED}:
        sys.exit(process.returncode)
    with asked.output.open("a", encoding="utf-8") as report:
        arguments = shlex.join(sys.argv[1:])
        report.write(f"\n{ABOUT}\n\n`python benchmarks/bench_models.py {arguments}`\n")


if __name__ == "__main__":
    main()
