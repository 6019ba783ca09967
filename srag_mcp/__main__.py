"""The entry point of `srag-mcp` and `python -m srag_mcp`."""

from srag_mcp.cli.app import main

if __name__ == "__main__":
    main()
