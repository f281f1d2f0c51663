"""Words of the release page: the checklist, the words of the publisher, and what happens after."""

from __future__ import annotations

import math
from collections.abc import Sequence

from synth.app.project.results.publication import ChecklistPoint, Settled, Topic
from synth.app.project.results.released import RedFlag
from synth.app.ui.text import number_of, plain
from synth.app.ui.text.results import held

LEAD = (
    "Nothing leaves before this page. Go through the list, say what the release is for and who answers for "
    "it, read the report as others will read it, then publish."
)
RUN_LABEL = "Run to publish"
RUN_HELP = (
    "Publishing one of several runs is a choice. If the private table was looked at before, the report "
    "says so."
)

# Checklist
LIST_TITLE = "Before it leaves"
LIST_ALT = "The checklist: {done} of {all} points are settled."
SIGNS = {
    Settled.DONE: ":green[:material/check_circle:]\N{NO-BREAK SPACE}settled",
    Settled.OPEN: ":orange[:material/radio_button_unchecked:]\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}do",
    Settled.NOTE: ":blue[:material/info:] note",
    Settled.BLOCKED: ":red[:material/block:] in the way",
}
REAL = "Its noise came from the operating system and cannot be predicted."
REHEARSAL = "This is a rehearsal: its noise is predictable, so it is never published."
FLAGS_NONE = "Every column varies, every synthetic row keeps every rule, the fit has converged."
FLAGS_LISTED = "listed below"
FLAGS_TITLE = "Red flags"
FLAGS_SEE = "See them on Results"
RULES_NONE = "No rule was declared."
DOMAIN_DECLARED = "Declared or bought with budget; none was read from the file."
DOMAIN_READ = (
    "Read from the file, which is declared public: {names}. The report says that the promise does not cover "
    "this."
)
CHOICES_NONE = "None was recorded. The report says so."
MISSING = "not given yet"

# Words
WORDS_TITLE = "What you add"
WORDS_NOTE = "Printed in the report, the statement and the README as it stands. It becomes public."
USE_LABEL = "Intended use"
USE_PLACEHOLDER = "Teaching and exploratory analysis of commuting. Not for decisions about individuals."
LICENCE_LABEL = "Licence"
LICENCE_PLACEHOLDER = "Choose one, or type another"
LICENCE_HELP = (
    "What others may do with the table. It neither adds to nor takes from the privacy promise. CC0 and CC BY "
    "are the usual choices for open data."
)
LICENCES = (
    "CC0 1.0 (public domain)",
    "CC BY 4.0 (name the source)",
    "CC BY-SA 4.0 (name the source, share alike)",
    "CC BY-NC 4.0 (name the source, not commercial)",
    "ODC-BY 1.0 (name the source)",
    "By agreement only: not to be passed on",
)
CONTACT_LABEL = "Whom to ask (published)"
CONTACT_HELP = "An office or a shared address is better than a person: it becomes public and stays public."
CONTACT_PLACEHOLDER = "Statistics office, data@example.org"
APPROVER_LABEL = "Approved by"
SECOND_LABEL = "Second approval"
SECOND_OPTIONAL = "Second approval (optional)"
APPROVE_BUTTON = "I approve this release"
APPROVE_HELP = "Your name is printed in the report. If the words above are changed, your approval lapses."
APPROVED_ALREADY = "You have approved this release with these words."
APPROVERS_ASK = "Approval is given by {names}, on this page: hand on its address."
SAME_NAME = "Both approvals carry the same name. Somebody else has to agree, too."

# Choices
CHOICES_TITLE = "Choices made after looking at the private table"
CHOICES_LEAD = (
    "The app writes down by itself when numbers of the private table were shown, and what was changed before "
    "the next run. Anything else you decided because of what you saw belongs here, too."
)
CHOICE_LABEL = "Another choice"
CHOICE_HELP = "Say what you chose and why. Do not write any number you saw: the report is public."
CHOICE_PLACEHOLDER = "Left out the column income after opening the steward's view."
CHOICE_BUTTON = "Add to the report"
CHOICE_LATE = "This release is published; what is added now is printed in the next one."

# Preview
PREVIEW_TITLE = "The report, as it will be printed"
PREVIEW_SHOW = "Show the report"
PREVIEW_ALT = "The privacy report of this release."

# Publish
PUBLISH_TITLE = "Publish"
PUBLISH_NOTE = (
    "This writes the release once, with its checksums. Whoever gets it can keep it for ever: it cannot be "
    "called back, and its words cannot be changed afterwards. It costs nothing more; the price was paid by "
    "the run."
)
READ_LABEL = "I have read the report, and I answer for publishing this."
PUBLISH_BUTTON = "Publish this release"
OWNER_PUBLISHES = "The steward of this project publishes it once every point is settled."
PUBLISHING_TITLE = "Being published"
PUBLISHING = "Getting ready"
PUBLISHING_NOTE = (
    "The release is being written and checked by a process of its own. You may leave this page and come "
    "back: the process goes on."
)

# After
PUBLISHED_TITLE = "Published"
PUBLISHED = "Release **{release}** was published on {day}. It was checked after it was written."
FROZEN = (
    "Its choices are read-only now: a release stays what it was. A new release starts from a copy of them "
    "and is paid for by a run of its own."
)
DOWNLOAD_NOTE = (
    "The synthetic table as CSV and Parquet, its data dictionary, the noisy measurements, the privacy "
    "statement and the report, with checksums. All of it is public."
)
DOWNLOAD_BUTTON = "Download the release (zip)"
NEW_BUTTON = "Start a new release"
NEW_HELP = "Copies these choices into a new draft. The published release stays as it is."
ROWS_TITLE = "As many rows as you like"
ROWS_NOTE = (
    "A file of any number of rows from the noisy answers of this release, written in blocks on this server. "
    "It costs nothing: the answers are paid for and public. More rows are no more information; they say more "
    "finely what these answers say."
)
ROWS_LABEL = "Rows"
ROWS_FORM = "As"
ROWS_FORMS = {"parquet": "Parquet", "csv": "CSV"}
ROWS_OUTLOOK = (
    "Spends nothing. Takes {time} on a machine that does nothing else, and {size} on the disk of this server."
)
ROWS_BUTTON = "Write the rows"
ROWS_STARTING = "reading the noisy counts"
ROWS_STOP = "Stop writing"
ROWS_STOP_HELP = "The part that was written goes. Nothing was spent."
ROWS_FILE = "**{name}**, {size}."
ROWS_PLACE = "Too large for a browser. It lies on this server:"
ROWS_DOWNLOAD = "Download"
ROWS_REMOVE = "Remove"
ROWS_FLAGGED = "These rows must not be published, and so are not handed out.\n\n{flags}"
SAID_TITLE = "What it says about itself"
SAID_ALT = "The words of the publisher, as printed."
VERIFY_TITLE = "How others check it"
VERIFY_NOTE = "After unpacking, anyone can check that the release is whole and adds up:"
VERIFY_CODE = "sha256sum -c CHECKSUMS.sha256\npython -m synth verify ."


def describe(point: ChecklistPoint) -> str:
    """What the list says of a point."""
    facts, is_done = point.facts, point.settled is Settled.DONE
    match point.topic:
        case Topic.RUN:
            return str(facts["label"])
        case Topic.REAL:
            return REAL if is_done else REHEARSAL
        case Topic.FLAGS:
            return FLAGS_NONE if is_done else flags_in_short(facts["flags"])
        case Topic.RULES:
            kept = held(facts["rules"], facts["never_blank"])
            return rules_hold(facts["broken"], kept) if kept else RULES_NONE
        case Topic.DOMAIN:
            return DOMAIN_DECLARED if is_done else DOMAIN_READ.format(names=", ".join(facts["columns"]))
        case Topic.APPROVAL:
            return ", ".join(facts["names"]) if is_done else approval(facts["given"], facts["needed"])
        case Topic.CHOICES:
            return choices(facts["lines"])
    return str(facts["words"]) if is_done else MISSING


def flags_in_short(flags: Sequence[RedFlag]) -> str:
    """How many red flags there are, and how many forbid a release.

    >>> flags_in_short([RedFlag(sentence="a", blocks=False)])
    '1 red flag, listed below. It does not forbid a release.'
    """
    many = f"{number_of(len(flags), 'red flag')}, {FLAGS_LISTED}."
    blocking = sum(flag.blocks for flag in flags)
    if len(flags) == 1:
        return f"{many} It {'forbids' if blocking else 'does not forbid'} a release."
    if not blocking:
        return f"{many} None forbids a release."
    return f"{many} {blocking:,} of them {'forbids' if blocking == 1 else 'forbid'} a release."


def flags(found: Sequence[RedFlag]) -> str:
    """A line for each red flag."""
    signs = {True: ":red[:material/block:]", False: ":blue[:material/flag:]"}
    return "\n".join(f"- {signs[flag.blocks]} {plain(flag.sentence)}" for flag in found)


def rules_hold(broken: int, held: str) -> str:
    """Whether the synthetic rows keep what they must.

    >>> rules_hold(0, "2 rules"), rules_hold(3, "1 rule")
    ('No synthetic row breaks one of them: 2 rules.', '3 synthetic rows break one of them: 1 rule.')
    """
    rows = "No synthetic row breaks" if not broken else f"{number_of(broken, 'synthetic row')} break"
    if broken == 1:
        rows += "s"
    return f"{rows} one of them: {held}."


def choices(lines: int) -> str:
    """How much of the log will be printed."""
    if not lines:
        return CHOICES_NONE
    return (
        f"{number_of(lines, 'line')} will be printed in the report: those below, and the choice of this "
        "table."
    )


def approval(given: int, needed: int) -> str:
    """How many names are there, and how many it takes.

    >>> approval(0, 1), approval(1, 2)
    ('not given yet', '1 of 2 names given')
    """
    if given == 0:
        return MISSING
    return f"{given} of {needed} names given"


def locked(names: tuple[str, ...]) -> str:
    """Why the button is grey."""
    return f"Some points of the list are still open: {', '.join(plain(name) for name in names)}."


def size(amount: int) -> str:
    """A number of bytes.

    >>> size(900), size(2_500_000), size(31_000_000_000)
    ('less than 1 MB', '3 MB', '31.0 GB')
    """
    if amount < 10**6:
        return "less than 1 MB"
    return f"{math.ceil(amount / 10**6)} MB" if amount < 10**9 else f"{amount / 10**9:.1f} GB"


def at_most(amount: int) -> str:
    """About how many bytes something will take.

    >>> at_most(900), at_most(2_500_000)
    ('less than 1 MB', 'up to about 3 MB')
    """
    return size(amount) if amount < 10**6 else f"up to about {size(amount)}"
