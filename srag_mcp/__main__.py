"""The entry point of `srag-mcp` and `python -m srag_mcp`."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, imports included."""
    try:
        from srag_mcp.cli.command_line import run  # it takes a moment, in which Ctrl-C may come

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
