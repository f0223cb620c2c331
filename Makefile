# kasoku: `make demo` and `make test` are all that a newcomer needs.
SHELL := /bin/bash
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null && $$p -c 'import sys,venv,ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
CMAKE_BUILD := build/release

DEBIAN_PACKAGES := llvm-19-dev libclang-19-dev lld-19 libtbb-dev libxxhash-dev libfmt-dev \
  nlohmann-json3-dev doctest-dev libbenchmark-dev ninja-build cmake ccache g++ \
  python3-venv python3-dev zlib1g-dev libzstd-dev graphviz
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: deps
deps:  ## Debian packages that are missing
	@missing="$$(for p in $(DEBIAN_PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || echo $$p; done)"; \
	if [ -n "$$missing" ]; then \
	  echo "installing Debian packages:" $$missing; \
	  $(SUDO) apt-get update -q && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; \
	fi
