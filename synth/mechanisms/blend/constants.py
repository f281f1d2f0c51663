"""Constants of Blend and Grove that concern measuring.

The end of each comment, after `|`, names the benchmark tables that the constant was tuned on.

If that was not recorded, the commit that set the constant is given; "limit" marks limits of time, memory and
arithmetic. "Of N" is a share of the records, "of rho" a share of the remaining budget. Line numbers are those
of `blend.method`. The constants that concern fitting are in `models.blend`.
"""

# Line 2: scores of all pairs
MOST_SCORING = 0.05  # budget share of the scores, of rho | c25b5c52
LEAST_SCORING = 0.001  # the least | limit
FINE = 0.003  # score noise that is fine enough, of N | 17b8fd8d
FINE_OF_ERROR = 0.5  # the same, of the error of a typical measured pair | 17b8fd8d
SCORED_GROUP = 2.5  # least records in a group while scoring, in roots of N | 5edc9c39
MEASURED_PAIRS = 0.4  # part of all pairs that a typical run measures | c25b5c52

# Lines 3 and 4: plans for pairs
BESIDE = 0.6  # weight of a pair's relation beside the tree; 0.4 to 0.8 do about as well | c25b5c52
MOST_COLUMNS = 0.4  # budget share from which columns are not measured again | gauss50
LEAST_AGAIN = 0.005  # least share for measuring columns again, of rho | limit
CLEAR_SIGMAS = 5.0  # sigmas in a cell that is clear by itself | ede5fbeb
OWN_SIGMAS = 0.7  # least sigmas in an average cell for the domain's codes | 7ed45dbf; gauss10, factor-mixture

# Line 5: all tables of three columns, where all are clear
ALL_CLEAR, ALL_CLEAR_WIDER = 0.02, 0.08  # most error, of N; for a workload of pairs, of more | NLTCS
BEFORE_ALL_TRIPLES = 0.4  # share of the pairs before, of rho; 0.2 to 0.5 do about as well | NLTCS
ALL_TRIPLES_SCORING = 0.1  # share of the scores, of rho | NLTCS
TRIPLE_OF_PAIR = (
    1 / 5
)  # cost of a triple's interaction over a pair's | least noise of 10 to 20 binary columns

# Line 5: tables that stand out
BEFORE_SCORES = 1 / 4  # share of the pairs before, of rho | 18b4a3b8
FAINT = 0.055  # noise of a triple's score, of N | the largest of 3,000 is below WORTHWHILE
CHEAP, CHEAP_WIDER = 0.06, 0.2  # most share of the scores, of rho; workloads as above | 56f91b57, NLTCS
CHEAP_FOUR = 0.01  # the same for tables of four columns | parity-3-of-13
RECORDS_PER_CELL = 10.0  # least records in an average cell of a scored triple | 56f91b57
MOST_TRIPLES = 3_000  # those of 27 columns | limit
MOST_SCORED_CELLS = 1 << 21  # of all scored tables together, which the ledger keeps | limit
MOST_OWN_CELLS = 1 << 20  # of a triple in the domain's codes | limit
MODEL_RECORDS = 50_000  # drawn from the model that scores compare with | limit
MOST_FOR_TRIPLES = 0.15  # most share of the triples that stand out, of rho | 56f91b57
FEW_CODES = 4  # columns of at most so many codes are scored in their own | 18b4a3b8
RUN_PART, HEAP_PART = 1 / 4, 1 / 5  # least part of N in a run, in a heap, while scoring | 18b4a3b8
THIN_PART = 1 / 200  # a group with less of N joins another one | less than any halving makes
HALVINGS = 5  # of these parts, for a column with one heavy code | limit
FALSE_ALARM = 0.01  # chance that noise makes any table stand out | limit
WORTHWHILE = 0.25  # least excess that is measured, of N | Adult: tables of the income reach 0.18

# Lines 3 and 5: a target
ALIKE_IF = 1 / 2  # of the other plan's error, from which pairs are measured alike | readmitted-2400-rows
OTHERS = (2, 3, 4)  # columns in a table beside the target | limit
MOST_TABLE_CELLS = 1_000  # of a scored table, and of a tiling | 18b4a3b8
MOST_TARGET_TABLES = 20_000  # scored at once | limit
HIDDEN = 0.5  # most that noise may hide of a table, of N | 18b4a3b8
MOST_FOUND = 3  # tables that are measured one by one | 18b4a3b8
TARGET_TABLES = 0.4  # their share, of rho | 18b4a3b8
TILINGS = 40  # 20 and 80 do about as well | 5ab7c4a2
TILE = 1 / 2  # part of N in a tile; 1/3 is worse for many columns | 5ab7c4a2
