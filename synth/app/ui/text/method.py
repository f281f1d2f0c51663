"""Words of the method page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from synth.app.project.spend.advice import BASELINE, Advice, Matter, Standing
from synth.app.project.spend.measured import Comparison, Finding, Shape, Source
from synth.app.project.spend.outlook import Size
from synth.app.ui.text import delta, plain
from synth.core.numbers import TIMES, about, number_of, per_cent
from synth.mechanisms import MECHANISMS
from synth.mechanisms.shared.base import CELLS_PER_MB, Mechanism, Outlook, Purpose
from synth.models.registry import GENERATORS

ROWS_LABEL = "Rows to make"
ROWS_HELP = "Leave empty to make about as many rows as the table has, by a noisy estimate."
ROWS_EMPTY = "as estimated"
WORKLOAD_LABEL = "Keep faithful"
WORKLOAD_CHOICES = {2: "Pairs of columns", 3: "Triples of columns"}
OPTIONS_TITLE = "Settings of this method"
NO_COLUMN = "None"
OPTIONS_NONE = "This method has no settings."

LEAD = (
    "Every method asks the table questions within the budget and builds a model from the answers. The "
    "promise is the same for all of them; what they are good at is not."
)
CHOSEN = ":green-badge[:material/check: chosen]"
CHOOSE = "Choose"
HELP_TITLE = "Help me choose"
HELP_HOW = "How the methods compared"
OTHERS_TITLE = "The other methods"
OTHERS_NOTE = (
    "Grouped by what they are there for. Each card says how its method stands to what you said above."
)
PURPOSES = {
    Purpose.GENERAL: ("For most tables", "They look at the table first and measure what matters in it."),
    Purpose.WIDE: (
        "For wide tables with much related to much",
        "They measure every pair of columns without looking first, and are quick about it.",
    ),
    Purpose.MODEL: (
        "Classics: one model of some relations",
        "They measure some relations and solve one model of them. Quick on narrow tables, known from papers.",
    ),
    Purpose.FITTED: (
        "By a network, by particles or by search",
        "They move records until the answers are met: slow, and quicker on a graphics card.",
    ),
    Purpose.BASELINE: (
        "Simple ones to compare with",
        "They choose nothing. What does no better than these is not worth its wait.",
    ),
}
NOT_COMPARED = "No comparison on a table like yours has been made."
OFF = {
    Matter.COLUMNS: "single columns",
    Matter.PAIRS: "pairs",
    Matter.TRIPLES: "triples",
}
STANDINGS = {
    Standing.ADVISED: ":blue-badge[:material/recommend: recommended]",
    Standing.SUITED: "",
    Standing.SLOW: ":material/hourglass_bottom: It may take longer than you want to wait.",
    Standing.WARNED: ":material/block: Not recommended here, for what speaks against it.",
    Standing.UNTIMED: ":material/timer_off: Not recommended here: nobody has timed it on such a table.",
    Standing.WORSE: (
        ":material/block: Not recommended here: on the compared table it did worse than single columns."
    ),
    Standing.BLIND: ":material/block: Not recommended here: it keeps no relation between columns.",
    Standing.UNABLE: (
        ":material/block: It cannot run here: this table needs a larger model than it allows itself, the "
        "words of the budget page leave it nothing to measure with, or it cannot buy what the columns leave "
        "open or keep their promise."
    ),
}
WHY_NOT = {
    Standing.SLOW: "it may take longer than you want to wait",
    Standing.WARNED: "the card warns of just this",
    Standing.UNTIMED: "nobody has timed it on a table like yours",
    Standing.WORSE: "it did worse there than single columns",
    Standing.BLIND: "it keeps no relation between columns",
    Standing.UNABLE: "it cannot run on a table like yours",
}
BASELINE_ONLY = "Whatever was measured there in time did worse than single columns. Think of a larger budget."
OTHER_SOURCES = "Measured by other commands or other versions, and so not ranked with those above:"
TOO_SMALL = "What was closer there was so by less than such figures differ by chance."
_MOST_TOLD = 3
GUIDE_ONLY = "That is another table than yours: a guide, not a promise."
MEASURED_AS = (
    "Errors are the share of records that would have to be moved for all counts to be right (total "
    "variation distance), the mean over all columns, all pairs and 300 triples; the time is that of one core."
)
HELP_MATTER = "What will the table be used for?"
HELP_PATIENCE = "How long may it take?"
MATTERS = {
    Matter.COLUMNS: "Single columns",
    Matter.PAIRS: "Two columns together",
    Matter.TRIPLES: "Three columns, or models",
}
PATIENCE = {"now": "Half a minute", "coffee": "A coffee break", "night": "Overnight"}
HELP_TAKE = "Choose {title}"
HELP_KEEP = "Keep {what} faithful"
PAID_TITLE = "How the table is measured"
PAID_NOTE = (
    ":material/payments: **Paid.** One method per run. Trying another one measures again and spends again: "
    "start a second run for that, with a budget of its own."
)
GUARANTEE_TITLE = "How the promise of each is added up"
SETTINGS_TITLE = "What it should be good at"
FREE_TITLE = "More tables from the same answers"
FREE_NOTE = (
    ":material/redeem: **Free.** What was measured is public and can be modelled again as often as you like. "
    "Each table you tick is made in the same run, from the same answers, and lies beside the release to be "
    "compared with it. Nothing more is spent."
)
FREE_NONE = "No other generator suits the chosen method."
GENERATOR_LABEL = "What makes the records of the answers"
GENERATOR_OWN = "{title} (the method's own)"
COMPRESS_LABEL = "Merge rare values while the method is at work"
COMPRESS_HELP = (
    "A twentieth of the method's budget looks at the columns first. Values that would drown in noise are "
    "then asked about together, and drawn apart again at the end as often as that first look says."
)
SIZE_TITLE = "Size of the model"
TIMES_UNKNOWN = (
    "Some lists or ranges are still to be bought, and how long a method takes depends on what they will be. "
    "Times and the size of the model are known once they are bought."
)
ADVICE_UNTIMED = "How long it takes is known once the lists are bought."
MOVED = "The words on the budget page set these: {options}. They go before the settings here."
NOT_TIMED = "time not known yet"
HERE = {"cpu": "here the CPU", "card": "here the card"}


def guarantee(gaussian: Sequence[str], sampled: Sequence[str]) -> str:
    """What every method promises, and by which account; titles of methods by the law of their noise.

    >>> guarantee(["Grove", "ABSyn"], ["TabDDPM"]).split(". ")[2][:53]
    'Grove and ABSyn add Gaussian noise and nothing else, '
    """
    *first, last = gaussian
    names = f"{', '.join(first)} and {last}" if first else last
    return (
        "Every method keeps the same promise, the epsilon and delta of the budget page, charged question by "
        "question. They differ in how exactly their questions can be added up, and so in how much noise the "
        f"promise takes. {names} add Gaussian noise and nothing else, so their sum is known exactly: "
        "about 5 % less noise, unless value lists or bins that follow the data are bought. "
        f"{' and '.join(sampled)} {'trains' if len(sampled) == 1 else 'train'} on random samples of the "
        "rows, which has a sum of its own. All others, and those that buy, are added up in zero-concentrated "
        "differential privacy (zCDP)."
    )


def not_offered(titles: Mapping[str, str]) -> str:
    """Why generators cannot follow the chosen method, by their titles."""
    return " ".join(f"*{plain(title)}* is not offered: {why}" for title, why in titles.items())


def time(outlook: Outlook) -> str:
    """How long a run takes, in a band."""
    return seconds((outlook.fastest, outlook.slowest))


def memory(outlook: Outlook) -> str:
    """How large the model gets at most."""
    return "model below 1 MB" if outlook.model_mb < 1 else f"model up to {outlook.model_mb:,.0f} MB"


def seconds(band: tuple[float, float] | None) -> str:
    """How long a fit takes, from its fastest and its slowest."""
    if band is None:
        return NOT_TIMED
    low, high = map(_duration, band)
    return low if low == high else f"{low} to {high}"


def run_time(
    summary: str, outlook: Outlook | None, *, literal: Outlook | None = None, is_literal: bool = False
) -> str:
    """A generator with how long a whole run takes by it, and by the `literal` form of its paper; where
    `is_literal` that form is set."""
    if outlook is None:
        return summary
    asked = f"{summary} A run takes {time(outlook)} on this machine{' as published' if is_literal else ''}."
    if literal is not None:
        asked += f" As published it would take {time(literal)}; that is a setting of the generator."
    return asked


def fit_time(summary: str, band: tuple[float, float] | None) -> str:
    """A generator with how long one table more takes by it."""
    return summary if band is None else f"{summary} It takes {seconds(band)}."


def device(mechanism: Mechanism, here: str) -> str:
    """What a method computes on, and which of it this machine has (a device, see `system.device`)."""
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
    """The lines of a method's card, in Markdown; `faster` are generators that make it so, by their titles."""
    lines = [mechanism.summary]
    if mechanism.suits:
        lines.append(f":material/thumb_up: {mechanism.suits}")
    if mechanism.avoid:
        lines.append(f":material/thumb_down: {mechanism.avoid}")
    facts = [NOT_TIMED] if outlook is None else [time(outlook), memory(outlook)]
    quick = [f"{NOT_TIMED if o is None else time(o)} with *{plain(title)}*" for title, o in faster.items()]
    first = "; ".join([f"{facts[0]} by itself", *quick]) if quick else facts[0]
    facts = [first[0].upper() + first[1:], *facts[1:], device(mechanism, here)]
    lines.append(f":material/timer: {' · '.join(facts)}")
    return "\n\n".join(lines)


def size(model: Size) -> str:
    """What the model needs before anything is measured."""
    sentences = f"Columns and rules alone need {_cells(model.forced)} (a cell is one combination of values)."
    if model.limit is not None:
        sentences += (
            f" The method allows itself {_cells(model.limit)} ({about(model.limit / CELLS_PER_MB)} MB)."
        )
    if model.widest is not None:
        a, b, cells = model.widest
        sentences += f" The largest pair is *{plain(a)}*{TIMES}*{plain(b)}* with {_cells(cells)}."
    return sentences


def too_wide(model: Size) -> str:
    """Which pairs can never be measured, with the columns to blame."""
    a, b, cells = model.too_wide[0]
    more = len(model.too_wide) - 1
    others = f" and {number_of(more, 'more pair')}" if more else ""
    return (
        f"*{plain(a)}*{TIMES}*{plain(b)}* has {_cells(cells)}, over the limit of "
        f"{_cells(model.limit or 0)}; it{others} can never be measured. Use fewer bins or values for "
        "one of them, or a larger limit."
    )


def near(model: Size) -> str:
    """That rules join columns to a large table."""
    return (
        f"The rules join columns so that the model needs {_cells(model.forced)} before anything is measured, "
        "most of what the method allows itself. Fewer columns per rule leave more room."
    )


def advice(advice: Advice, *, is_known: bool = True) -> str:
    """The advised method with its reason, in Markdown; `is_known` says whether times can be told."""
    kind = MECHANISMS[advice.method]
    head = (
        f"For {number_of(advice.shape.columns, 'column')} and {OFF[advice.matter]} at epsilon "
        f"{advice.promise:g}: **{plain(kind.title)}**"
    )
    sentences = [head + _because(advice)]
    if not is_known:
        sentences.append(ADVICE_UNTIMED)
    elif not advice.in_time:
        sentences.append("It may take longer than you want to wait.")
    if advice.is_avoided:
        lead = "" if advice.is_compared else "No method suits this well. "
        sentences.append(f"{lead}Mind what its card says: {kind.avoid}")
    return " ".join(sentences)


def _because(advice: Advice) -> str:
    """From a comma on: by what was measured, or else by what the method says of itself."""
    kind, there = MECHANISMS[advice.method], advice.comparison
    said = f"It is recommended for what its card says it suits: {kind.suits}"
    if there is None:
        return (
            f". Methods have not been compared on a table like yours ({_shape(advice.shape)}, at epsilon "
            f"{advice.promise:g}). {said}"
        )
    if not advice.is_compared:
        return f". It was not measured on the compared table most like yours, {_table(there)}. {said}"
    did = f"its {OFF[advice.matter]} were off by {_error(advice, advice.method)}"
    took = f"in {_seconds(advice.findings[advice.method].seconds)}"
    at = f"{_measured_at(advice, there)}{GUIDE_ONLY}"
    if advice.better:
        return f". {said} On the compared table most like yours, {_table(there)}, {did}, {took}. {at} " + (
            " ".join(_passed_over(advice))
        )
    others = [name for name in advice.findings if name != advice.method][:_MOST_TOLD]
    rest = ", ".join(f"of {plain(MECHANISMS[n].title)} by {_error(advice, n)}" for n in others)
    rest = f"; those {rest}" if others else ""
    words = f", because on the compared table most like yours, {_table(there)}, {did}, {took}{rest}. {at}"
    if Standing.WORSE in advice.standings.values() and advice.method == BASELINE and others:
        return words if advice.matter is Matter.COLUMNS else f"{words} {BASELINE_ONLY}"
    is_first = next(iter(advice.findings)) == advice.method
    return words if is_first else f"{words} {TOO_SMALL}"


def _error(advice: Advice, name: str) -> str:
    """How far off what matters was by a method that was measured."""
    return _off(advice.matter.error(advice.findings[name]))


def _passed_over(advice: Advice) -> list[str]:
    """Why the best of what was closer there is not recommended."""
    by_reason: dict[str, list[str]] = {}
    for name in advice.better[:_MOST_TOLD]:
        told = f"{plain(MECHANISMS[name].title)} ({_error(advice, name)})"
        by_reason.setdefault(WHY_NOT[advice.standings[name]], []).append(told)
    return [
        f"Closer there, but not recommended because {reason}: {', '.join(titles)}."
        for reason, titles in by_reason.items()
    ]


def _measured_at(advice: Advice, there: Comparison) -> str:
    """At which epsilon the comparison was, where it is not that of the budget page."""
    if there.epsilon == advice.promise:
        return ""
    rows = round(advice.promise / advice.epsilon)
    noisier = f", and where up to {rows} rows are protected together the noise is as at {advice.epsilon:.2g}"
    return f"The comparison was made at epsilon {there.epsilon:g}{noisier if rows > 1 else ''}. "


def standing(advice: Advice, name: str) -> str:
    """What a card says of its method on this occasion, in Markdown: how it stands, and what it did."""
    lines = [line] if (line := STANDINGS[advice.standings[name]]) else []
    there = advice.comparison
    finding = None if there is None else _shown(advice, there).get(name)
    if finding is not None and there is not None:
        lines.append(
            f":material/straighten: On {there.title} at epsilon {there.epsilon:g} its {OFF[advice.matter]} "
            f"were off by {_off(advice.matter.error(finding))}, in {_seconds(finding.seconds)}."
        )
    return "\n\n".join(lines)


def compared(advice: Advice) -> str:
    """All that was measured on the table that is compared with, as a Markdown table with its sources."""
    there = advice.comparison
    if there is None:
        return ""
    everything = _shown(advice, there)
    others = {name: f for name, f in everything.items() if name not in advice.findings}
    sources = list(dict.fromkeys(finding.source for finding in everything.values()))
    lines = [
        f"On {_table(there)}, {number_of(there.shape.rows or 0, 'row')}, {_promise(there)}.",
        _figures(advice.findings),
        OTHER_SOURCES if others and advice.findings else "",
        _figures(others),
        MEASURED_AS,
        *(_source(source) for source in sources),
    ]
    return "\n\n".join(filter(None, lines))


def _shown(advice: Advice, there: Comparison) -> dict[str, Finding]:
    """What every method did there: the ranking, and after it what other sources have."""
    rest = there.by_method(workload=advice.k)
    rest = dict(sorted(rest.items(), key=lambda entry: advice.matter.error(entry[1])))
    return {**advice.findings, **{name: f for name, f in rest.items() if name not in advice.findings}}


def _figures(findings: Mapping[str, Finding]) -> str:
    """Findings as a Markdown table."""
    head = "| Method | Columns | Pairs | Triples | Time | Runs |\n|---|---|---|---|---|---|"
    rows = [
        f"| {plain(MECHANISMS[name].title)} | {_off(f.columns)} | {_off(f.pairs)} | {_off(f.triples)} "
        f"| {_seconds(f.seconds) if f.seconds >= 1 else '< 1 s'} | {f.runs} |"
        for name, f in findings.items()
    ]
    return "\n".join([head, *rows]) if rows else ""


def _promise(there: Comparison) -> str:
    return f"at epsilon {there.epsilon:g} and delta {delta(there.delta)}"


def _source(source: Source) -> str:
    """Where figures come from. Of several sessions nobody knows which gave which figure."""
    where = f"on {source.machine}"
    if not source.until:
        return (
            f"Measured {source.started} with Marginalia {source.version} ({source.commit}) {where} "
            f"by `{source.command}`."
        )
    return (
        f"Measured in {number_of(source.sessions, 'session')}, the first begun {source.started} and the last "
        f"{source.until}, with Marginalia {source.version} {where}. The code changed in between (commits "
        f"{source.commit}), and which session gave which figure was not kept. The last was begun by "
        f"`{source.command}`."
    )


def group(purpose: Purpose, titles: Sequence[str]) -> str:
    """The head of a group of methods."""
    return f"**{PURPOSES[purpose][0]}**: {', '.join(titles)}"


def _table(there: Comparison) -> str:
    """A compared table with its shape, in words."""
    invented = "invented, " if there.is_invented else ""
    return f"{there.title} ({invented}{_shape(there.shape)})"


def _shape(shape: Shape) -> str:
    """How many columns, and of which kind."""
    return f"{number_of(shape.columns, 'column')}, {_order(shape.share_ordered)}"


def _order(share: float) -> str:
    if share in (0, 1):
        return "all of them ordered" if share else "none of them ordered"
    for most, words in ((0.45, "mostly unordered"), (0.55, "half of them ordered")):
        if share <= most:
            return words
    return "mostly ordered"


def _off(error: float) -> str:
    """An error as per cent, fine enough to tell methods apart."""
    return per_cent(error, 1) if error >= 0.01 else f"{about(100 * error, digits=2)} %"


def _seconds(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:.0f} s"


def _cells(cells: int) -> str:
    if cells >= 10**15:
        return "more than a thousand million million cells"
    return f"{cells / 10**6:,.1f} million cells" if cells >= 10**6 else f"{cells:,} cells"


def _duration(seconds: float) -> str:
    for limit, words in ((15, "seconds"), (90, "a minute"), (900, "minutes"), (5400, "an hour")):
        if seconds <= limit:
            return words
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
