"""Packaging: what is on disk is what is declared, so that the wheel lacks nothing."""

import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = SETTINGS["tool"]["setuptools"]
ELSEWHERE = {"srag_mcp.prompts": ROOT / "prompts", "srag_mcp.corpora": ROOT / "corpora"}


def _packages_on_disk() -> set[str]:
    folders = {path.parent for path in (ROOT / "srag_mcp").rglob("*.py")}
    return {".".join(folder.relative_to(ROOT).parts) for folder in folders}


def _data_files(package: str, folder: Path) -> list[str]:
    """List what a package holds beside Python, relative to it, without its sub-packages."""
    inner = [
        other
        for other in folder.rglob("__init__.py")
        if other.parent != folder and package not in ELSEWHERE
    ]
    return [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix != ".py"
        and path.parent.name != "__pycache__"
        and not any(path.is_relative_to(other.parent) for other in inner)
        and not path.relative_to(folder).parts[0].startswith(("generate_", "."))
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def test_every_package_on_disk_is_declared() -> None:
    assert set(SETUPTOOLS["packages"]) == _packages_on_disk() | set(ELSEWHERE)


@pytest.mark.parametrize("package", SETUPTOOLS["packages"])
def test_every_data_file_is_declared(package: str) -> None:
    folder = ELSEWHERE.get(package, ROOT / package.replace(".", "/"))
    patterns = SETUPTOOLS["package-data"].get(package, [])

    missing = [
        name
        for name in _data_files(package, folder)
        if not any(fnmatch(name, pattern) for pattern in patterns)
    ]

    assert missing == []


def test_every_layer_exists_and_is_listed() -> None:
    (contract,) = SETTINGS["tool"]["importlinter"]["contracts"]
    layers = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    folder = ROOT / "srag_mcp"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}

    assert layers == modules | packages


def test_the_package_says_its_version() -> None:
    import srag_mcp

    assert srag_mcp.__version__ == SETTINGS["project"]["version"]


def test_no_two_files_of_the_package_have_one_name() -> None:
    names = Counter(
        path.name for path in (ROOT / "srag_mcp").rglob("*.py") if path.name != "__init__.py"
    )
    assert [name for name, count in names.items() if count > 1] == []
