"""Facts of a run about its guarantee: costs, training, software, and who made its records."""

import json
import math
import platform
from collections.abc import Callable
from importlib import metadata
from typing import Any

from scipy.optimize import brentq

from synth import __version__
from synth.core.accounting.gaussian import gaussian_delta_from
from synth.core.accounting.zcdp import delta_from
from synth.core.numbers import about
from synth.models.registry import GENERATORS

Run = Any
"""`conftest.Run`; pytest does not let tests import from there."""
Check = Callable[..., object]


def rho(units: int) -> str:
    return about(units * 1e-12, digits=4)


def is_just_above(stated: str, value: float) -> bool:
    return 0 <= float(stated) - value < 10.0 ** (math.floor(math.log10(value)) - 5)


def converts(
    run: Run,
    stated: str | None,
    aside: str | None,
    lists: str | None,
    listed: str | None,
    apart: str | None,
    used: str | None,
    order: str | None,
) -> bool:
    """Whether (epsilon, delta) covers the price by the law that is named, less what is set aside."""
    delta, epsilon = run.plan.delta, run.plan.epsilon
    spent = sum(a.delta_units for a in run.answers) * 1e-18
    is_stated = math.isclose(float(used or listed or 0), spent, rel_tol=1e-12) and spent <= 0.01 * delta
    if stated is not None:
        kept = (1 - int(aside or 0) / 100) * (1 - int(lists or 0) / 100) * delta
        sound = gaussian_delta_from(1 / run.mu, epsilon) <= kept * (1 + 1e-9)
        return (
            run.is_gaussian
            and is_stated
            and sound
            and (aside, lists) == ("1", "1")
            and is_just_above(stated, run.mu)
        )
    sound = delta_from(run.plan.units * 1e-12, epsilon) <= (1 - int(apart or 0) / 100) * delta * (1 + 1e-9)
    return (
        (not run.is_gaussian and is_stated and sound and apart == "1")
        and (order is not None) is run.is_trained
        and (order is None or order == f"{last_order(run):.4g}")
    )


def trains_by_steps(run: Run) -> bool:
    """Whether the published sigma of every block is about the least with which its steps cost what was
    charged, by the closed form at whole orders (Mironov, Talwar and Zhang 2019, section 3.3), and no other
    formula's. The room's orders end up to a tenth above the one that is named."""
    if not run.is_trained:
        return False
    blocks = json.loads(run.opened.files[run.opened.layout.measurements])["trained"]
    for block in blocks:
        facts, sigma = block["asked"], block["sigma"]
        price = block["rho_units"] * 1e-12 / facts["steps"]
        dear, cheap = (
            max(
                sampled_cost(order, factor * sigma, facts["rate"] / 65536)
                for order in range(2, int(last) + 1)
            )
            for factor, last in ((0.95, 1.1 * facts["most"]), (1.0, facts["most"]))
        )
        if not (cheap <= price < dear) or math.isclose(sigma, math.sqrt(1 / (2 * price)), rel_tol=0.1):
            return False
    return len(blocks) > 0


def trains_as_stated(
    run: Run, steps: str, blocks: str, rate: str, clip: str, sigma: str, most: str | None
) -> bool:
    """Whether the training is told as the ledger has what was asked, with the noise of the measurements."""
    requested = [a.query for a in run.answers if a.query["ask"] == "train"]
    noise = [
        block["sigma"] for block in json.loads(run.opened.files[run.opened.layout.measurements])["trained"]
    ]
    stated = [
        {about(q["rate"] / 65536, digits=4) for q in requested},
        {about(q["clip"], digits=4) for q in requested},
    ]
    ends = [about(end, digits=4) for end in (min(noise), max(noise))] if noise else []
    return (
        run.is_trained
        and int(steps.replace(",", "")) == sum(q["steps"] for q in requested) == requested[0]["whole"]
        and int(blocks) == len(requested)
        and stated == [{rate}, {clip}]
        and ends == [sigma, most or sigma]
        and most != sigma
    )


def sampled_cost(order: int, sigma: float, rate: float) -> float:
    """The Renyi divergence of one step, divided by its order."""
    terms = [
        math.comb(order, k) * (1 - rate) ** (order - k) * rate**k * math.exp((k * k - k) / (2 * sigma**2))
        for k in range(order + 1)
    ]
    return math.log(math.fsum(terms)) / (order - 1) / order


def last_order(run: Run) -> float:
    """The order a at which (a - 1)^2 rho + log a is log 1e14; training was asked for up to no lower one."""
    rho = run.plan.units * 1e-12
    order = float(brentq(lambda a: (a - 1) ** 2 * rho + math.log(a) - 14 * math.log(10), 1, 1e6))
    assert all(a.query["most"] >= order for a in run.answers if a.query["ask"] == "train")
    return order


def versions(*, network: bool = False) -> list[tuple[str, str]]:
    """What took part, in the order of the statement."""
    packages = ("numpy", "scipy", "opendp", "pyarrow", "pandas", *["torch"] * network)
    ours = [("python", platform.python_version()), ("marginalia", __version__)]
    return [*ours, *((name, metadata.version(name)) for name in packages)]


def buying(kind: str) -> Check:
    def buys(run: Run) -> bool:
        return any(a.part == "preprocess" and a.query["ask"] == kind for a in run.answers)

    return buys


def named(run: Run, release: str, day: str) -> bool:
    """Whether these are the id and the day of the release."""
    return day in run.days and release.startswith(day.replace("-", "")) and release == run.release


def made_by(run: Run) -> str:
    made = {"first again": "refined", "tiled again": "refined"}
    return str(made.get(run.name) or run.plan.generator or run.plan.mechanism().generator)


def signed(run: Run, release: str, version: str, rest: str) -> bool:
    words = run.imprint
    stated = f" Approved by {' and '.join(words.approvers)}." if words.approvers else ""
    stated += f" Contact: {words.contact}." if words.contact else ""
    stated += f" Licence: {words.licence}." if words.licence else ""
    return (release, version, rest) == (run.release, __version__, stated)


def leans(run: Run) -> str:
    """Of what records are made, by what the generator says it reads of answers that are no tables."""
    generator = GENERATORS[made_by(run)]
    if generator.trains:
        return "trained"
    return "votes" if generator.votes else "network" if generator.name == "network" else "counts"
