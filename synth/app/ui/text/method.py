"""Texts of the Method page."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from synth.app.project.spend.advice import BASELINE, Advice, Matter, Standing
from synth.app.project.spend.measured import Comparison, Finding
from synth.app.project.spend.outlook import Size
from synth.app.ui.text import delta, plain, share
from synth.core.accounting import GAUSSIAN, in_hundred, line_law
from synth.core.numbers import TIMES, about, number_of, per_cent
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import CELLS_PER_MB, Mechanism, Outlook, Purpose
from synth.models.registry import GENERATORS
from synth.private.ledger.quote import Quote

WORKLOAD_CHOICES = {2: "Pairs of columns", 3: "Triples of columns"}


LEAD = "Choose a synthesis method. All methods keep your epsilon and delta. The cards name extra costs."
HELP_NOTE = (
    "Each run uses one method. Another method needs another run, which uses budget again. See the privacy "
    "model under Help for the accounting."
)


PURPOSES = {
    Purpose.GENERAL: "for most tables",
    Purpose.WIDE: "for wide tables",
    Purpose.MODEL: "classic model",
    Purpose.FITTED: "network or particles",
    Purpose.BASELINE: "baseline",
}
NOT_COMPARED = "There is no benchmark with a table like yours."
OFF = {
    Matter.COLUMNS: "single columns",
    Matter.PAIRS: "pairs",
    Matter.TRIPLES: "triples",
}

WHY_NOT = {
    Standing.SLOW: "it may take longer than you want to wait",
    Standing.WARNED: "see what it is less accurate for",
    Standing.UNTIMED: "its time on a table like yours is unknown",
    Standing.WORSE: "it was less accurate than independent columns on the benchmark",
    Standing.BLIND: "it preserves no relation between columns",
    Standing.UNABLE: "it cannot run on this table (model size, budget split, estimated domains or rules)",
}
BASELINE_ONLY = "No method was more accurate than independent columns there. Consider a larger budget."

_MOST_NAMED = 3
GUIDE_ONLY = "An earlier version measured this. Times and errors on your table can differ."
PLOT_NOTE = (
    "Labelled marks: methods that are more accurate than all faster ones. Hollow marks come from other "
    "sources and are not ranked."
)


DEARER = (
    ":material/payments: Private training has another accounting rule. At epsilon {epsilon}, this run uses "
    "{cost} of the lifetime budget{lost}. Other methods use {usual}. A guess about a person is right at most "
    "{guess} times in 100, with other methods {best}."
)
MATTERS = {
    Matter.COLUMNS: "Single columns",
    Matter.PAIRS: "Pairs of columns",
    Matter.TRIPLES: "Triples, or models",
}
PATIENCE = {"now": "30 seconds", "coffee": "10 minutes", "night": "Overnight"}


FREE_NOTE = (
    "Each generator makes one more table from the same measurements and uses no budget. *Compare* shows "
    "these tables."
)


COMPRESS_HELP = (
    "Uses 5% of the budget to find values below the noise, and measures them together. Off by default."
)
TIMES_UNKNOWN = "Times and model size are unknown until the missing domains are estimated."
CANNOT_START = (
    "This method or generator cannot use the starting table. Choose the default method with its own "
    "generator, or remove the starting table on *Project*."
)
MOVED = "The priorities on the Budget page set these options: {options}. They override the settings here."
NOT_TIMED = "time unknown"
HERE = {"cpu": "here: CPU", "card": "here: GPU"}


def dearer(quote: Quote) -> str:
    """State what a method with private training costs, compared with all other methods; empty for these."""
    if line_law(quote.price.law) == GAUSSIAN:
        return ""
    lost = f", and {share(quote.lost)} more can no longer be used" if quote.lost else ""
    return DEARER.format(
        epsilon=f"{quote.epsilon:g}",
        cost=share(quote.share),
        usual=share(quote.usual.share),
        lost=lost,
        guess=in_hundred(quote.odds.alone.guess),
        best=in_hundred(quote.usual.odds.alone.guess),
    )


def not_offered(titles: Mapping[str, str]) -> str:
    """State why some generators, named by title, do not suit the chosen method."""
    return " ".join(f"*{plain(title)}* is not available: {why}" for title, why in titles.items())


def time(outlook: Outlook) -> str:
    """Format the time of a run as a range."""
    return seconds((outlook.fastest, outlook.slowest))


def memory(outlook: Outlook) -> str:
    """Format the maximum size of the model."""
    return "model below 1 MB" if outlook.model_mb < 1 else f"model up to {outlook.model_mb:,.0f} MB"


def seconds(band: tuple[float, float] | None) -> str:
    """Format the time of a fit, from the fastest to the slowest."""
    if band is None:
        return NOT_TIMED
    low, high = map(_duration, band)
    return low if low == high else f"{low} to {high}"


def run_time(
    summary: str, outlook: Outlook | None, *, literal: Outlook | None = None, is_literal: bool = False
) -> str:
    """Describe a generator with the time of a run. If the generator can also run as published, `literal` has
    the time of that option, and `is_literal` states that the option is chosen.
    """
    if outlook is None:
        return summary
    requested = (
        f"{summary} Time of a run on this machine{' as published' if is_literal else ''}: {time(outlook)}."
    )
    return requested if literal is None else f"{requested} As published (a setting): {time(literal)}."


def fit_time(band: tuple[float, float] | None) -> str:
    """Format the time of one further table."""
    return "Time unknown." if band is None else f"Time: {seconds(band)}."


def device(mechanism: Mechanism, here: str) -> str:
    """State which devices a method uses, and which of them this machine has (`system.device`)."""
    if not GENERATORS[mechanism.generator].on_device:
        return mechanism.device
    return f"{mechanism.device} ({HERE['cpu' if here == 'cpu' else 'card']})"


def card(
    mechanism: Mechanism,
    outlook: Outlook | None,
    *,
    here: str = "cpu",
    faster: Mapping[str, Outlook | None] = MappingProxyType({}),
) -> str:
    """Return the lines of a method's card, in Markdown. `faster` contains the times with faster generators,
    by title.
    """
    facts = [NOT_TIMED] if outlook is None else [time(outlook), memory(outlook)]
    quick = [f"{NOT_TIMED if o is None else time(o)} with *{plain(title)}*" for title, o in faster.items()]
    first = "; ".join([f"{facts[0]} by default", *quick]) if quick else facts[0]
    facts = [first[0].upper() + first[1:], *facts[1:], device(mechanism, here)]
    return f"{mechanism.summary}\n\n:material/timer: {' · '.join(facts)}"


def about_method(kind: type[Mechanism]) -> str:
    """State what a method is suited for, what it is less accurate for, and its source."""
    lines = [kind.suits and f"Suited for: {kind.suits}", kind.avoid and f"Less accurate for: {kind.avoid}"]
    return "\n\n".join(filter(None, [*lines, plain(kind.paper)]))


def size(model: Size) -> str:
    """State the size of the model before anything is measured."""
    sentences = [f"Columns and rules need {_cells(model.forced)}."]
    if model.limit is not None:
        sentences.append(f"Limit: {_cells(model.limit)} ({about(model.limit / CELLS_PER_MB)} MB).")
    if model.widest is not None:
        a, b, cells = model.widest
        sentences.append(f"Largest pair: *{plain(a)}*{TIMES}*{plain(b)}* with {_cells(cells)}.")
    return " ".join(sentences)


def too_wide(model: Size) -> str:
    """State which pairs are too large to be measured, and name the largest one."""
    a, b, cells = model.too_wide[0]
    more = len(model.too_wide) - 1
    others = f" The same applies to {number_of(more, 'more pair')}." if more else ""
    return (
        f"*{plain(a)}*{TIMES}*{plain(b)}* has {_cells(cells)}, over the limit of "
        f"{_cells(model.limit or 0)}. It "
        f"cannot be measured.{others} Use fewer bins or values, or a larger limit."
    )


def near(model: Size) -> str:
    """State that the rules join columns, which brings the model close to the limit."""
    return (
        f"The rules join columns, so the model needs {_cells(model.forced)}, most of its limit. Use fewer "
        f"columns "
        "per rule."
    )


def advice(advice: Advice) -> str:
    """Return the recommended method with the reason, in Markdown."""
    kind, there = MECHANISMS[advice.method], advice.comparison
    columns = number_of(advice.shape.columns, "column")
    sentences = [f"**{plain(kind.title)}** for {columns}, epsilon {advice.promise:g}."]
    if there is None or not advice.is_compared:
        sentences += ["" if there else NOT_COMPARED, f"Suited for: {kind.suits}"]
    else:
        sentences += [_figures(advice, there), *_passed_over(advice)]
        others = [name for name in advice.findings if name != advice.method]
        if Standing.WORSE in advice.standings.values() and advice.method == BASELINE and others:
            sentences.append("" if advice.matter is Matter.COLUMNS else BASELINE_ONLY)
        elif not advice.better and next(iter(advice.findings)) != advice.method:
            sentences.append("Other methods were more accurate, but the differences could be due to chance.")
    if not advice.in_time:
        sentences.append("It may take longer than you want to wait.")
    if advice.is_avoided:
        sentences.append(f"Less accurate for: {kind.avoid}")
    return " ".join(filter(None, sentences))


def _figures(advice: Advice, there: Comparison) -> str:
    """State the benchmark results of the recommended method and of the next best methods."""
    others = [name for name in advice.findings if name != advice.method][:_MOST_NAMED]
    rest = "".join(f", {plain(MECHANISMS[name].title)} {_error(advice, name)}" for name in others)
    at = "" if there.epsilon == advice.promise else f" at epsilon {there.epsilon:g}"
    return (
        f"On {_table(there)}{at}, its error for {OFF[advice.matter]} was {_error(advice, advice.method)} in "
        f"{_seconds(advice.findings[advice.method].seconds)}{rest}. {GUIDE_ONLY}"
    )


def _error(advice: Advice, name: str) -> str:
    """Return the error of a method for the chosen use."""
    return error(advice.matter.error(advice.findings[name]))


def _passed_over(advice: Advice) -> list[str]:
    """State why the best of the more accurate methods are not recommended."""
    by_reason: dict[str, list[str]] = {}
    for name in advice.better[:_MOST_NAMED]:
        title = f"{plain(MECHANISMS[name].title)} ({_error(advice, name)})"
        by_reason.setdefault(WHY_NOT[advice.standings[name]], []).append(title)
    return [
        f"More accurate there, but not recommended: {', '.join(titles)} ({reason})."
        for reason, titles in by_reason.items()
    ]


def standing(advice: Advice, name: str) -> str:
    """State whether a method is recommended, with its results on the benchmark, in Markdown."""
    its = advice.standings[name]
    lines = [":blue-badge[:material/recommend: recommended]"] if its is Standing.ADVISED else []
    if its in WHY_NOT:
        lines.append(f":material/block: Not recommended: {WHY_NOT[its]}.")
    there = advice.comparison
    finding = None if there is None else findings(advice, there).get(name)
    if finding is not None and there is not None and its is not Standing.ADVISED:
        lines.append(
            f":material/straighten: {there.title}, epsilon {there.epsilon:g}: error for {OFF[advice.matter]} "
            f"{error(advice.matter.error(finding))} in {_seconds(finding.seconds)}."
        )
    return "\n\n".join(lines)


def findings(advice: Advice, there: Comparison) -> dict[str, Finding]:
    """List the results of every method on the benchmark: the ranking first, then those of other sources."""
    rest = there.by_method(workload=advice.k)
    rest = dict(sorted(rest.items(), key=lambda entry: advice.matter.error(entry[1])))
    return {**advice.findings, **{name: f for name, f in rest.items() if name not in advice.findings}}


def sources(there: Comparison, found: Mapping[str, Finding]) -> str:
    """Describe the benchmark and the commands that measured it, in Markdown."""
    rows, at = number_of(there.shape.rows or 0, "row"), delta(there.delta)
    lines = [f"{_table(there)}, {rows}, epsilon {there.epsilon:g}, delta {at}."]
    for source in dict.fromkeys(finding.source for finding in found.values()):
        until = f" to {source.until} in {number_of(source.sessions, 'session')}" if source.until else ""
        lines.append(
            f"Measured {source.started}{until} with Marginalia {source.version} ({source.commit}) on "
            f"{source.machine} by `{source.command}`."
        )
    return "\n\n".join(lines)


def offered(name: str) -> str:
    """Format a method for the list of other methods."""
    return f"{MECHANISMS[name].title} ({PURPOSES[MECHANISMS[name].purpose]})"


def further(name: str, band: tuple[float, float] | None) -> str:
    """Format a further generator for its list, with its time."""
    title = GENERATORS[name].title
    return title if band is None else f"{title} ({seconds(band)})"


def _table(there: Comparison) -> str:
    """Return the name of a benchmark table with its shape."""
    invented = "invented, " if there.is_invented else ""
    shape = f"{number_of(there.shape.columns, 'column')}, {per_cent(there.shape.share_ordered)} ordered"
    return f"{there.title} ({invented}{shape})"


def error(share: float) -> str:
    """Format an error in per cent, with enough digits to distinguish methods."""
    return per_cent(share, 1) if share >= 0.01 else f"{about(100 * share, digits=2)}%"


def _seconds(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:.0f} s"


def _cells(cells: int) -> str:
    if cells >= 10**15:
        return "more than 10^15 cells"
    return f"{cells / 10**6:,.1f} million cells" if cells >= 10**6 else f"{cells:,} cells"


def _duration(seconds: float) -> str:
    for limit, words in ((15, "seconds"), (90, "a minute"), (900, "minutes"), (5400, "an hour")):
        if seconds <= limit:
            return words
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
