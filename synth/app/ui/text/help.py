"""The help page: what happens, the questions people ask, the words, and what to do when something breaks."""

from __future__ import annotations

LEAD = "What this app does, in plain words. No page of it needs mathematics."
TABS = ("In five minutes", "Questions", "Words", "When something goes wrong")

STORY = (
    (
        ":material/table_view: You describe the table",
        (
            "Which columns there are, what values each can take, who is protected, and which combinations "
            "no possible person can have. All of it comes from documents and from your knowledge. The "
            "table is not opened: a list of values read from the file would already give away who is in it."
        ),
    ),
    (
        ":material/account_balance_wallet: You decide how much may be given away",
        (
            "Every question to the private table gives away a little about everybody in it. The budget "
            "(epsilon) says how much in all. The pages show what that means for an attacker, and how far a "
            "count will be off, before anything is spent."
        ),
    ),
    (
        ":material/rocket_launch: The run asks its questions",
        (
            "It counts people by one, two or three columns at a time and adds noise to every count before "
            "the count leaves. Each question is charged to the lifetime budget first. From the noisy "
            "counts alone it learns a model, and from the model it draws people who do not exist."
        ),
    ),
    (
        ":material/monitoring: You see how good it is",
        (
            "The result pages compare the synthetic table with the noisy counts, which are public. They "
            "say how far each table of two columns can be from the truth at worst."
        ),
    ),
    (
        ":material/inventory_2: You publish it with its papers",
        (
            "The bundle holds the synthetic table, the noisy counts, a data dictionary, a privacy "
            "statement for machines and a report for people. Anyone can check that nothing in it was "
            "changed."
        ),
    ),
)

PROMISE_TITLE = "What is promised, and what is not"
PROMISED = (
    (
        "**Promised:** whoever reads the release learns almost the same about a person whether or not they "
        "were in the table, whatever is known already and however long it is computed."
    ),
    (
        "**Not promised:** that nothing can be learned about people. What is true of a whole population "
        "can be read from the release, and then applied to anybody."
    ),
    (
        "**Not promised:** that the synthetic table is right. Small groups and combinations that were "
        "never counted together are blurred or missing. The report says which."
    ),
    (
        "**Depends on you:** that values, limits and rules were not copied from the file, that the unit of "
        "protection is right, and that all releases about the same people name the same population."
    ),
)

QUESTIONS = (
    (
        "What epsilon should I choose?",
        (
            "Start at 1. Below it, the protection is strong and small groups disappear in the noise. Above "
            "5 the promise becomes weak. Public releases have used values up to about 10, with reasons "
            "written down. The budget page also works the other way round: say how exact a count has to be "
            "and see what that costs."
        ),
    ),
    (
        "Why can the app not look at the file and tell me the columns?",
        (
            "Because the answer would depend on single people. If one person is the only one with a "
            "certain occupation, the list of occupations tells that they are in the table. There are three "
            "safe ways: a published document, your own knowledge, or paying for the list from the budget."
        ),
    ),
    (
        "Is the synthetic table anonymous?",
        (
            "That is a legal question with different answers in different places. What can be said exactly "
            "is how much the release can reveal about one person at most, and the privacy statement says "
            "it."
        ),
    ),
    (
        "Can I run it again if I do not like the result?",
        (
            "Every run with new questions costs budget again. Drawing another table from the same "
            "measurements is free. Running until the result looks good, without counting those runs, is "
            "how such promises get broken; therefore the ledger counts them all."
        ),
    ),
    (
        "Can I have more rows?",
        (
            "As many as you like, for free: below a published release, the release page writes a file of any "
            "number of rows from the same noisy answers. More rows say no more about anybody, and have "
            "no less noise."
        ),
    ),
    (
        "Why does the steward's view carry a warning?",
        (
            "It compares with the real table, so its numbers are exact and private. Nothing from it is "
            "exported, opening it is written down, and choices made after it are printed in the report, "
            "because choosing by private numbers also gives something away."
        ),
    ),
    (
        "Two of my tables are about the same people. What now?",
        (
            "Give both the same population on the page about who is protected. They then share one "
            "lifetime budget, which is what the promise to these people is about. Both have to protect the "
            "same unit; a table in which it fills fewer rows names the column that says whose row it is."
        ),
    ),
    (
        "May I use p-values and intervals from the synthetic rows?",
        (
            "Not as they come: they do not know about the added noise and will look too sure. The bundle "
            "holds the noisy counts with their noise, from which correct intervals can be computed."
        ),
    ),
    (
        "What is a rehearsal?",
        (
            "The same journey on a public or invented file. Its noise is predictable, so it can be shown "
            "and repeated but protects nobody. All its papers are marked, its ledger is a separate one, "
            "and it cannot be released."
        ),
    ),
    (
        "Does anything leave this computer?",
        (
            "No. The app answers only this machine unless whoever runs it has decided otherwise, loads "
            "nothing from the internet, and reports nothing to anybody."
        ),
    ),
)

WORDS = (
    ("unit of protection", "The one whose presence is hidden: a person, a household, a visit."),
    ("population", "The people a lifetime budget is about. All tables about them share it."),
    ("epsilon", "How much one release may give away about one unit. Smaller is safer and blurrier."),
    ("delta", "The chance, far below one in the number of rows, that the stated limit fails."),
    ("rho", "The scale on which prices add up. Half the epsilon costs about a quarter of the rho."),
    ("budget line", "What all releases about a population promise together, and what is left of it."),
    ("lifetime limit", "The most that all releases about a population may give away together."),
    ("ledger", "The record of every charge. It can be added to, never changed."),
    ("schema", "The declared columns with their kinds and values, before any file is read."),
    ("rule", "A combination that no possible person can have, by law or logic."),
    ("marginal", "A table of counts by one or more columns."),
    ("measurement", "A marginal with noise added, its price and the size of the noise."),
    ("noise", "Random whole numbers added to counts, from the operating system's secure source."),
    ("method", "What decides which marginals to measure and how to draw people from them."),
    ("bound", "How far a released count table can be from the truth, with a stated confidence."),
    ("bundle", "What is published: the synthetic table with all its papers."),
    ("steward", "You: the person who answers for the table."),
)

TROUBLES = (
    (
        "A page shows a reference number",
        (
            "Something broke, and what it was is kept from the screen because it could quote the data. "
            "Give the number to whoever runs this app: the log holds the place in the program under it, "
            "and no data."
        ),
    ),
    (
        "I closed the tab during a run",
        "The run goes on. Open the project again from the project page or by its address.",
    ),
    (
        "The run ended early",
        (
            "Its page says why and what was spent. Resuming takes the answers as they are and spends the "
            "rest of what was agreed, nothing twice. Giving up frees what was reserved and not asked."
        ),
    ),
    (
        "The budget does not cover the run",
        (
            "Choose a smaller epsilon, or have the lifetime limit raised on the ledger page, with a reason "
            "that stays on record."
        ),
    ),
    (
        "A page is locked",
        "It says which step is missing and leads there. Nothing has been lost.",
    ),
    (
        "The file is too large to upload",
        "Put it into the data folder and name it on the columns page. Nothing is copied then.",
    ),
)
