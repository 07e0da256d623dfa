from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import pytest

from inspector import plugins
from inspector.errors import EnvironmentLacksError, UsageError


@pytest.mark.parametrize(
    "module",
    sorted(
        {f"inspector.cli.{name.replace('-', '_')}" for name in plugins.COMMANDS}
        | {module for modules in plugins.RULES.values() for module in modules}
        | {*plugins.RENDERERS.values(), *plugins.TIMELINES.values(), *plugins.TABLES.values()}
        | {
            f"inspector.features.{module.partition(':')[0]}"
            for _, *modules in plugins.REPORTS.values()
            for module in modules
        }
    ),
)
def test_every_built_in_exists(module: str) -> None:
    assert find_spec(module) is not None


@pytest.mark.parametrize(("path", "name"), [("a.json", "json"), ("a.b.md", "md"), ("A.TXT", "txt")])
def test_a_suffix_is_a_format(path: str, name: str) -> None:
    assert plugins.renderer_for_suffix(Path(path)) == name


@pytest.mark.parametrize(
    ("path", "words"), [("out.jsn", "Did you mean json"), ("out", "no suffix"), ("a.q", "json")]
)
def test_an_unknown_suffix_is_refused_with_a_choice(path: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plugins.renderer_for_suffix(Path(path))


def test_an_unknown_format_is_refused_with_near_matches() -> None:
    with pytest.raises(UsageError, match="Did you mean markdown"):
        plugins.load_renderer("markdwon")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another distribution with a command, a format, and a plugin that cannot be imported."""
    points = {
        "inspector.commands": [EntryPoint("fly", "json", "inspector.commands")],
        "inspector.renderers": [EntryPoint("bad", "no_such_module", "inspector.renderers")],
        "inspector.rules.cpp": [
            EntryPoint("more", "inspector.features.compile_time.rules.cpp_time", "")
        ],
    }
    monkeypatch.setattr(plugins, "_entry_points", lambda group: tuple(points[group]))


@pytest.mark.usefixtures("installed")
def test_an_installed_command_stands_behind_the_built_in_ones() -> None:
    assert list(plugins.command_table()) == [*plugins.COMMANDS, "fly"]
    module = plugins.load_command("fly")
    assert module is not None
    assert module.__name__ == "json"


@pytest.mark.usefixtures("installed")
def test_an_installed_rule_is_loaded() -> None:
    assert plugins.load_rules("cpp")[-1].id == "cpp-compile-time"


@pytest.mark.usefixtures("installed")
def test_a_plugin_that_cannot_be_imported_is_named() -> None:
    assert plugins.renderer_for_suffix(Path("a.bad")) == "bad"
    with pytest.raises(EnvironmentLacksError, match="plugin 'bad'"):
        plugins.load_renderer("bad")
