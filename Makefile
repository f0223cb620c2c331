# kasoku: `make demo` and `make test` are all that a newcomer needs; each works
# by itself on a fresh Debian 12 (tested) or Ubuntu 24.04 (should work).
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null && $$p -c 'import sys,venv,ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)

DEBIAN_PACKAGES := llvm-19-dev libclang-19-dev lld-19 libtbb-dev libxxhash-dev libfmt-dev \
  nlohmann-json3-dev doctest-dev libbenchmark-dev ninja-build cmake ccache g++ git \
  python3-venv python3-dev zlib1g-dev libzstd-dev graphviz
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: help deps venv configure build core clean
help:  ## What can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

deps:  ## Debian packages that are missing
	@missing="$$(for p in $(DEBIAN_PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done)"; \
	if [ -n "$$missing" ]; then \
	  echo "== installing Debian packages:" $$missing; \
	  $(SUDO) apt-get update -q && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; \
	fi

# The stamp holds the list, so a changed list is installed and nothing else is.
venv: deps  ## The Python environment in .venv
	@python="$(PYTHON)"; python="$${python:-python3}"; \
	if [ ! -x $(VENV)/bin/python ]; then \
	  echo "== making $(VENV) with $$($$python --version)"; $$python -m venv $(VENV); \
	fi; \
	wanted="$$($(VENV)/bin/python tools/requirements.py)"; \
	if [ "$$wanted" != "$$(cat $(VENV)/.installed 2>/dev/null)" ]; then \
	  echo "== installing Python packages:" $$wanted; \
	  $(VENV)/bin/python -m pip install --disable-pip-version-check --progress-bar off -q $$wanted; \
	  echo "$$wanted" > $(VENV)/.installed; \
	fi; \
	$(VENV)/bin/python tools/link_package.py

configure: venv
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	  echo "== configuring $(BUILD)"; \
	  cmake --preset $(PRESET) -DKASOKU_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/bin/python; \
	fi

build: configure  ## The package, usable from .venv/bin/python and .venv/bin/kasoku
	@echo "== building with $(JOBS) jobs"
	@cmake --build $(BUILD) -j $(JOBS) --target package
	@$(VENV)/bin/python -c 'import kasoku; print("== kasoku", kasoku.__version__, "is ready: .venv/bin/kasoku")'

core: configure  ## Only the engine and the extension, without the embedded compiler
	@cmake --build $(BUILD) -j $(JOBS) --target _core

clean:  ## Removes what was built, not .venv
	rm -rf build dist python/kasoku/_core*.so
