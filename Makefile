# Two commands do everything on a fresh machine: `make run` and `make test`.
VENV := .venv
PYTHON := $(VENV)/bin/python
READY := $(VENV)/.ready

# torch lies on PyPI with CUDA, gigabytes that are of no use without an NVIDIA card: on Linux without one its own
# index has a smaller build of the same version. `make TORCH=torch==... install` takes the one you name.
CPU_BUILDS := https://download.pytorch.org/whl/cpu
PINNED := $(shell sed -n '/^torch==/p' constraints.txt)
TORCH :=

.PHONY: install run test check bench screenshots clean

install: $(READY)

$(READY): pyproject.toml constraints.txt
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --upgrade pip
	@set -e; torch='$(TORCH)'; [ -n "$$torch" ] \
	|| { [ "$$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null && torch='$(PINNED)+cpu'; } \
	|| torch='$(PINNED)'; \
	case "$$torch" in \
	  *+cpu) echo "Installing $$torch: 190 MB, for the processor alone (no NVIDIA card found)."; \
	    from='--extra-index-url $(CPU_BUILDS) --retries 2';; \
	  *) echo "Installing $$torch from PyPI: on Linux with CUDA about 3 GB, on a Mac about 100 MB."; from='';; \
	esac; \
	$(PYTHON) -m pip install --quiet --no-deps $$from "$$torch"
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(PYTHON) -m pip install --quiet --constraint constraints.txt --no-deps axe-playwright-python  # for its axe.min.js alone
	touch $@

run: install
	$(PYTHON) -m synth app

check: install
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

test: check browser
	OMP_NUM_THREADS=1 $(PYTHON) -m pytest -n 2 --dist loadfile

# The browser test wants Chromium; where Debian's package manager can bring it, it does.
.PHONY: browser
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	  && apt-get update -qq && apt-get install -y -qq chromium chromium-driver >/dev/null; } \
	|| echo "No Chromium here: the browser test will be skipped."

bench: install
	$(PYTHON) -m synth bench

screenshots: install browser
	MARGINALIA_SCREENSHOTS=1 $(PYTHON) -m pytest -q -m browser

clean:
	rm -rf $(VENV) build dist *.egg-info
