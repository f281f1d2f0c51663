"""Words of the method page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from synth.generate.registry import GENERATORS
from synth.mechanisms.base import CELLS_PER_MB, Mechanism, Outlook
from synth.numerals import about
from synth.project.outlook import Matter, Size
from synth.ui.text import plain

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
HELP_MATTER = "What will the table be used for?"
HELP_PATIENCE = "How long may it take?"
MATTERS = {
    Matter.COLUMNS: "Counts of single columns",
    Matter.PAIRS: "How two columns go together",
    Matter.TRIPLES: "Three columns at a time, or models",
}
PATIENCE = {"now": "Half a minute", "coffee": "A coffee break", "night": "Overnight"}
HELP_TAKE = "Choose {title}"
PAID_TITLE = "How the table is measured"
PAID_NOTE = (
    ":material/payments: **Paid.** One method per run. Trying another one measures again and spends again: "
    "start a second run for that, with a budget of its own."
)
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
GENERATOR_OPTIONS = "Settings of the generator"
COMPRESS_LABEL = "Merge rare values while the method is at work"
COMPRESS_HELP = (
    "A twentieth of the method's budget looks at the columns first. Values that would drown in noise are "
    "then asked about together, and drawn apart again at the end as often as that first look says."
)
SIZE_TITLE = "Size of the model"
SIZE_UNKNOWN = (
    "Some domains are still to be bought, so the size of the model will be known only after they are."
)
TIMES_UNKNOWN = (
    "Some lists or ranges are still to be bought, and how long a method takes depends on what they will be. "
    "Times and the size of the model are known once they are bought."
)
ADVICE_UNTIMED = "How long it takes is known once the lists are bought."
MOVED = "The words on the budget page set these: {options}. They go before the settings here."
NOT_TIMED = "time not known yet"
HERE = {"cpu": "here the CPU", "card": "here the card"}


def guarantee(gaussian: Sequence[str]) -> str:
    """What every method promises, and by which account; `gaussian` are titles of methods.

    >>> guarantee(["Grove", "ABSyn"]).partition(". ")[2][:56]
    'Grove and ABSyn are accounted for by the exact curve of '
    """
    *first, last = gaussian
    names = f"{', '.join(first)} and {last}" if first else last
    return (
        "The promise of every method is the epsilon and delta of the budget page, charged question by "
        f"question. {names} are accounted for by the exact curve of their Gaussian noise, which leaves a "
        "little less of it for the same promise, unless a value list or bins that follow the data are "
        "bought; the others, and those then, in zero-concentrated differential privacy."
    )


def not_offered(titles: Mapping[str, str]) -> str:
    """Why generators cannot follow the chosen method, by their titles."""
    return " ".join(f"*{plain(title)}* is not offered: {why}" for title, why in titles.items())


def time(outlook: Outlook) -> str:
    """How long a run takes, in a band."""
    return seconds((outlook.fastest, outlook.slowest))


def memory(outlook: Outlook) -> str:
    """How large the model gets at most."""
    return "model below 1 MB" if outlook.model_mb < 1 else f"model up to {outlook.model_mb:.0f} MB"


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
    """What a method computes on, and which of it this machine has (a device, see `synth.device`)."""
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
        sentences += f" The largest pair is *{plain(a)}* by *{plain(b)}* with {_cells(cells)}."
    return sentences


def too_wide(model: Size) -> str:
    """Which pairs can never be measured, with the columns to blame."""
    a, b, cells = model.too_wide[0]
    more = len(model.too_wide) - 1
    others = f" and {more} more {'pair' if more == 1 else 'pairs'}" if more else ""
    return (
        f"*{plain(a)}* by *{plain(b)}* has {_cells(cells)}, over the limit of {_cells(model.limit or 0)}; it"
        f"{others} can never be measured. Use fewer bins or values for one of them, or a larger limit."
    )


def near(model: Size) -> str:
    """That rules join columns to a large table."""
    return (
        f"The rules join columns so that the model needs {_cells(model.forced)} before anything is measured, "
        "most of what the method allows itself. Fewer columns per rule leave more room."
    )


def advice(title: str, *, k: int, in_time: bool, warned: str = "", is_known: bool = True) -> str:
    """The advised method, in a sentence or two; `warned` is what its card says against just this.

    `is_known` says whether the time it takes can be told.
    """
    sentences = [f"For this table: **{plain(title)}**, keeping *{WORKLOAD_CHOICES[k].lower()}* faithful."]
    if not is_known:
        sentences.append(ADVICE_UNTIMED)
    elif not in_time:
        sentences.append("It may take longer than that; nothing suitable is faster.")
    if warned:
        sentences.append(f"No method suits this well. Mind what its card says: {warned}")
    return " ".join(sentences)


def _cells(cells: int) -> str:
    if cells >= 10**15:
        return "more than a thousand million million cells"
    return f"{cells / 10**6:,.1f} million cells" if cells >= 10**6 else f"{cells:,} cells"


def _duration(seconds: float) -> str:
    for limit, words in ((15, "seconds"), (90, "a minute"), (900, "minutes"), (5400, "an hour")):
        if seconds <= limit:
            return words
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"
