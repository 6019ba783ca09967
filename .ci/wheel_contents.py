"""Compare a wheel with the sources: each file of the package, prompts and corpora must be in it."""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = {"srag_mcp": "srag_mcp", "prompts": "srag_mcp/prompts", "corpora": "srag_mcp/corpora"}
LEFT_OUT = ("generate_", "__pycache__", ".")


def expected_files() -> set[str]:
    """Return the paths that the wheel must have."""
    return {
        f"{place}/{path.relative_to(ROOT / source).as_posix()}"
        for source, place in SOURCES.items()
        for path in (ROOT / source).rglob("*")
        if path.is_file()
        and not any(part.startswith(LEFT_OUT) for part in path.relative_to(ROOT / source).parts)
    }


def main(wheel: Path) -> None:
    """Exit with 1 and name what lacks, if anything does."""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    expected = expected_files()
    missing = sorted(expected - inside)
    if missing:
        sys.exit("\n".join([f"{wheel.name} lacks:", *missing]))
    print(f"{wheel.name}: {len(expected)} files of the sources, {wheel.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
