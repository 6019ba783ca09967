# The commands of the README, for those who have make.
.PHONY: demo test check benchmark

demo:
	python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/srag-mcp demo

test:
	python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[dev]' && .venv/bin/pytest -n 2

check:
	bash .ci/run

benchmark:
	.venv/bin/pytest -m benchmark -s
