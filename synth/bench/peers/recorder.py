"""Run a peer's driver and record its random draws, in the peer's environment, without imports from our code.

`python recorder.py NOTES.json DRIVER.py REQUEST.json`. The notes contain `tape`, the path of the output file,
and `recorded`, a tape to replay or null. The tape lists each Gaussian, Laplace or Gumbel draw with its
arguments (`kind`, `scale`, `size`), and each drawn index with its `weights`. For noise, it also has `exact`,
the numbers to which the noise was added, and `told`, the noisy numbers; for a choice, `told` is the index.

When a tape is replayed, every draw returns the recorded value: the noisy numbers of the recorded run replace
the noisy numbers of this table. The random generator still advances, so that later draws stay synchronised. A
draw that differs from the recorded one ends the run, and `broken` then has its position.

Libraries draw noise around zero and add it later. Therefore the result of a draw is an array that records its
first addition. If a library first converts it to a plain array, the sum is recorded when the library stores
the measurement.
"""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

SAME = 1e-9
"""Largest relative difference between the scales of the same draw. It allows for floats computed in a
different order.
"""


class Tape:
    """The draws of this run, together with the draws of the recorded run."""

    def __init__(self, recorded: dict[str, Any] | None) -> None:
        self.recorded = None if recorded is None else recorded["draws"]
        self.draws: list[dict[str, Any]] = []
        self.broken: dict[str, Any] | None = None
        self.waiting: tuple[int, Any] | None = None
        self.listens = False
        """Whether draws are recorded. It is set after the driver's imports, because some of them draw random
        numbers.
        """

    def draw(self, **requested: Any) -> int:
        """Record a draw and return its position. End the run if the recorded run had a different draw at this
        position.
        """
        place = len(self.draws)
        if self.recorded is not None:
            then = self.recorded[place] if place < len(self.recorded) else None
            if then is None or not _same(requested, then):
                self.broken = {"at": place, "then": _in_short(then), "now": _in_short(requested)}
                raise SystemExit(0)
        self.draws.append(requested)
        return place

    def recorded_or(self, place: int, value: Any) -> Any:
        """Return the recorded value of a draw if there is a recorded run, otherwise `value`."""
        if self.recorded is not None:
            value = np.array(self.recorded[place]["told"]) if np.ndim(value) else self.recorded[place]["told"]
        self.draws[place]["told"] = np.asarray(value).tolist()
        return value

    def summed(self, place: int, exact: Any, noise: Any) -> Any:
        self.draws[place]["exact"] = np.asarray(exact, dtype=float).tolist()
        self.waiting = None
        return self.recorded_or(place, np.asarray(exact, dtype=float) + noise)


def _same(now: dict[str, Any], then: dict[str, Any]) -> bool:
    if (now["kind"], now["size"]) != (then["kind"], then["size"]):
        return False
    return "scale" not in now or abs(now["scale"] - then["scale"]) <= SAME * then["scale"]


def _in_short(draw: dict[str, Any] | None) -> dict[str, Any] | None:
    return draw and {name: draw[name] for name in ("kind", "scale", "size") if name in draw}


class Noise(np.ndarray):
    """Drawn noise that has not been added to a number yet."""

    tape: Tape
    place: int

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [np.asarray(x) for x in inputs]
        if ufunc is np.add and method == "__call__" and len(inputs) == 2 and not named:
            (other,) = [np.asarray(x) for x in inputs if x is not self] or [np.asarray(self)]
            return self.tape.summed(self.place, other, np.asarray(self))
        return getattr(ufunc, method)(*plain, **named)


def waiting(tape: Tape, kind: str, scale: float, noise: Any) -> Any:
    """Return drawn noise that is on the tape but has not been added to a number yet."""
    values = np.asarray(noise, dtype=float)
    place = tape.draw(kind=kind, scale=float(scale), size=list(values.shape))
    array = values.view(Noise)
    array.tape, array.place = tape, place
    tape.waiting = (place, values)
    return array


def recording(tape: Tape, base: type) -> type:
    """Return a NumPy generator that records its private draws on the tape."""

    class Recording(base):  # type: ignore[misc]
        def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
            return _noise(tape, "normal", super().normal, loc, scale, size)

        def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
            return _noise(tape, "laplace", super().laplace, loc, scale, size)

        def gumbel(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
            return _noise(tape, "gumbel", super().gumbel, loc, scale, size)

        def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, **named: Any) -> Any:
            return _choice(tape, super().choice, a, size, replace, p, named)

    return Recording


def _noise(tape: Tape, kind: str, draw: Any, loc: Any, scale: Any, size: Any) -> Any:
    if not tape.listens:
        return draw(loc, scale, size)
    noise = draw(0.0, scale, np.shape(loc) if size is None else size)
    array = waiting(tape, kind, float(scale), noise)
    return array if not np.any(loc) else array + np.asarray(loc)


def _choice(tape: Tape, draw: Any, a: Any, size: Any, replace: bool, p: Any, named: dict[str, Any]) -> Any:
    drawn = draw(a, size, replace, p, **named)
    if p is None or size is not None or not tape.listens:
        return drawn
    weights = np.asarray(p, dtype=float)
    place = tape.draw(kind="choice", size=[len(weights)], weights=weights.tolist())
    indices = np.arange(len(weights))
    index = int(indices[np.asarray(a) == drawn][0]) if np.ndim(a) else int(drawn)
    index = tape.recorded_or(place, index)
    return a[index] if np.ndim(a) else index


def overhear(tape: Tape) -> None:
    """Record the draws of NumPy's generators and of the library's own noise on the tape."""
    np.random.RandomState = recording(tape, np.random.RandomState)  # type: ignore[assignment,misc]
    generator, fresh = recording(tape, np.random.Generator), np.random.default_rng

    def default_rng(seed: Any = None) -> Any:
        return seed if isinstance(seed, generator) else generator(fresh(seed).bit_generator)

    np.random.default_rng = default_rng
    shared = np.random.RandomState()
    for name in ("normal", "laplace", "gumbel", "choice", "seed", "rand", "randint", "shuffle"):
        setattr(np.random, name, getattr(shared, name))
    for name in ("random", "uniform", "permutation", "random_sample", "multinomial", "standard_normal"):
        setattr(np.random, name, getattr(shared, name))


def overhear_library(tape: Tape, modules: dict[str, Any]) -> None:
    """Record the functions of a library that draw from other sources, and the constructors of its
    measurements.
    """
    for name, module in list(modules.items()):
        if name.startswith(("dpmm.", "snsynth.")):
            for function, kind in (("gaussian_noise", "normal"), ("laplace_noise", "laplace")):
                if hasattr(module, function):
                    setattr(module, function, _drawn_by(tape, getattr(module, function), kind))
        if name.startswith("snsynth.") and hasattr(module, "LinearMeasurement"):
            module.LinearMeasurement = stored(tape, module.LinearMeasurement)


def _drawn_by(tape: Tape, original: Any, kind: str) -> Any:
    def drawn(*args: Any, **named: Any) -> Any:
        requested = dict(zip(("sigma" if kind == "normal" else "scale", "size"), args, strict=False)) | named
        scale: Any = requested.get("sigma", requested.get("scale"))
        return waiting(tape, kind, float(scale), original(*args, **named))

    return drawn


def stored(tape: Tape, original: Any) -> Any:
    """Return a constructor of measurements that completes the pending draw."""

    def made(noisy: Any, clique: Any, stddev: float = 1.0, *args: Any, **named: Any) -> Any:
        if tape.waiting is not None and np.shape(noisy) == np.shape(tape.waiting[1]):
            place, noise = tape.waiting
            noisy = tape.summed(place, np.round(np.asarray(noisy, dtype=float) - noise, 6), noise)
        return original(noisy, clique, stddev, *args, **named)

    return made


def main(arguments: list[str]) -> int:
    notes = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    recorded = notes["recorded"] and json.loads(Path(notes["recorded"]).read_text(encoding="utf-8"))
    tape = Tape(recorded)
    overhear(tape)
    driver, request = arguments[1:]
    spec = spec_from_file_location("driver", driver)
    assert spec is not None and spec.loader is not None
    driven: Any = module_from_spec(spec)
    spec.loader.exec_module(driven)
    overhear_library(tape, sys.modules)
    if hasattr(driven, "LinearMeasurement"):
        driven.LinearMeasurement = stored(tape, driven.LinearMeasurement)
    tape.listens = True
    try:
        code = int(driven.main([request]))
    except SystemExit:
        if tape.broken is None:
            raise
        code = 0
    record = {"draws": tape.draws, "broken": tape.broken}
    Path(notes["tape"]).write_text(json.dumps(record), encoding="utf-8")
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
