"""The wheel holds ``inspector`` and the one module that torch loads, and nothing else."""

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from inspector import __version__


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(root)], check=True, capture_output=True)
    return zipfile.ZipFile(next(out.glob("*.whl")))


def _metadata(wheel: zipfile.ZipFile, name: str) -> str:
    return wheel.read(f"torch_inspector-{__version__}.dist-info/{name}").decode()


def test_it_holds_the_package_alone(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    metadata = f"torch_inspector-{__version__}.dist-info"
    assert tops == {"inspector", "_torch_inspector.py", metadata}


def test_it_holds_every_module_and_page(wheel: zipfile.ZipFile, root: Path) -> None:
    found = [path for end in ("py", "md") for path in root.glob(f"inspector/**/*.{end}")]
    sources = {path.relative_to(root).as_posix() for path in found}
    assert sources <= set(wheel.namelist())


def test_the_base_installation_brings_no_torch(wheel: zipfile.ZipFile) -> None:
    required = Parser().parsestr(_metadata(wheel, "METADATA")).get_all("Requires-Dist") or []
    base = [line for line in required if "extra ==" not in line]
    assert base
    assert not [line for line in base if line.startswith(("torch", "triton"))]


def test_it_installs_both_commands(wheel: zipfile.ZipFile) -> None:
    scripts = _metadata(wheel, "entry_points.txt")
    assert "\ninspect = inspector.cli:main" in scripts
    assert "\ntorch-inspector = inspector.cli:main" in scripts


def test_it_is_found_by_torch(wheel: zipfile.ZipFile) -> None:
    points = _metadata(wheel, "entry_points.txt")
    assert "[torch.backends]\ntorch_inspector = _torch_inspector:begin\n" in points
    assert "[torch_dynamo_backends]\ninspector = inspector.library.backend:inspector\n" in points
    # What `inspect run` puts on the path of interpreters that lack this package.
    place = "inspector/capture/autoload/torch_inspector_recorder-1.dist-info"
    assert {f"{place}/METADATA", f"{place}/entry_points.txt"} <= set(wheel.namelist())


def test_it_carries_the_license(wheel: zipfile.ZipFile) -> None:
    assert "The torch-inspector authors" in _metadata(wheel, "licenses/LICENSE")
