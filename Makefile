# Two commands do everything on a fresh machine: `make run` and `make test`.
VENV := .venv
PYTHON := $(VENV)/bin/python
READY := $(VENV)/.ready

# On PyPI, torch for Linux comes with CUDA: gigabytes. Without an NVIDIA card torch's own index has a smaller build of
# the same version. `make install TORCH=torch==2.13.0` takes what you name.
CPU_BUILDS := https://download.pytorch.org/whl/cpu
CPU_ONLY := $(shell [ "$$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null && echo +cpu)
TORCH := $(shell sed -n '/^torch==/p' constraints.txt)$(CPU_ONLY)
IS_SMALL := $(findstring +cpu,$(TORCH))

.PHONY: install run test test-all test-eighth check bench screenshots clean

install: $(READY)

$(READY): pyproject.toml constraints.txt
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --upgrade pip
	@echo "Installing $(TORCH)$(if $(IS_SMALL), without CUDA (190 MB), from PyPI (gigabytes if it comes with CUDA))."
	$(PYTHON) -m pip install --quiet --no-deps $(if $(IS_SMALL),--retries 2 --extra-index-url $(CPU_BUILDS)) '$(TORCH)'
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --no-deps axe-playwright-python  # for its axe.min.js alone
	touch $@

run: install
	$(PYTHON) -m synth app $(if $(PORT),--port $(PORT))

check: install
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(PYTHON) -m tests.words.check

PYTEST := OMP_NUM_THREADS=1 $(PYTHON) -m pytest -n 2 --dist loadfile

.PHONY: words
words: install
	$(PYTHON) -m tests.words.check

test: check browser postgres
	$(PYTEST) -m 'not long'

test-all: check browser postgres
	$(PYTEST)

# One eighth of the long tests, chosen by the commit: `make test-eighth EIGHTH=3` repeats one.
EIGHTH = $(shell echo $$((0x$$(git rev-parse --short=7 HEAD) % 8)))
test-eighth: install browser postgres
	$(PYTEST) -m long --eighth $(EIGHTH)

# The browser tests need Chromium. It is installed with apt-get, where that is possible.
.PHONY: browser
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	  && apt-get update -qq && apt-get install -y -qq chromium chromium-driver >/dev/null; } \
	|| echo "No Chromium here: the browser test will be skipped."

# The tests of databases start a Postgres server. Without Postgres, they are skipped.
.PHONY: postgres
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	  && apt-get update -qq && apt-get install -y -qq postgresql >/dev/null; } \
	|| echo "No Postgres here: the tests on it will be skipped."

bench: install
	$(PYTHON) -m synth bench

screenshots: install browser
	MARGINALIA_SCREENSHOTS=1 $(PYTHON) -m pytest -q tests/browser/test_every_page.py

clean:
	rm -rf $(VENV) build dist *.egg-info

# Plant each bug of tests/planted in a copy of the code. The tests must fail.
.PHONY: planted
planted: install
	$(PYTHON) -m tests.planted.plant $(BUGS)
