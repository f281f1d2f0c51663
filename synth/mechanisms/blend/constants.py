"""All constants of the measuring half of Blend and Grove, with where each was tuned after the bar.

Those of the fitting half are in `models.blend`. "22 tables" are those of the benchmark preset `default`, at
epsilon 0.1 to 10; "design" marks a limit of time, memory or arithmetic. "Of N" is a part of the records, "of
rho" a part of the budget that is left. Line numbers are those of `blend.method`.
"""

# Line 2: scores of all pairs
MOST_SCORING, LEAST_SCORING = 0.05, 0.001  # budget share of the scores, of rho | 22 tables
FINE = 0.003  # score noise that is fine enough, of N | Adult, Bank
FINE_OF_ERROR = 0.5  # the same, of the error of a typical measured pair | Adult, Bank
SCORED_GROUP = 2.5  # least records in a group while scoring, in roots of N | Adult, Titanic
MEASURED_PAIRS = 0.4  # part of all pairs that a typical run measures | 22 tables

# Lines 3 and 4: plans for pairs
BESIDE = 0.6  # weight of a pair's error beside the tree; 0.4 to 0.8 do as well | Adult, NLTCS
MOST_COLUMNS = 0.4  # budget share from which columns are not measured again | gauss50, multi50
LEAST_AGAIN = 0.005  # least share for measuring columns again, of rho | design
CLEAR_SIGMAS = 5.0  # sigmas in a cell that is clear by itself | gauss50, multi50
OWN_SIGMAS = 0.7  # least sigmas in an average cell for pairs in the domain's codes | gauss30, gauss50

# Line 5: all tables of three columns, where all are clear
ALL_CLEAR, ALL_CLEAR_WIDER = 0.02, 0.08  # most error, of N; for a workload of pairs, of more | NLTCS
BEFORE_ALL_TRIPLES = 0.4  # share of the pairs before, of rho; 0.2 to 0.5 do as well | NLTCS
ALL_TRIPLES_SCORING = 0.1  # share of the scores, of rho | NLTCS
TRIPLE_OF_PAIR = 1 / 5  # cost of a triple's interaction over a pair's | 10 to 20 binary columns

# Line 5: tables that stand out
BEFORE_SCORES = 1 / 4  # share of the pairs before, of rho | xor-blocks, three-questions
FAINT = 0.055  # noise of a triple's score, of N | so that the largest of 3,000 is below WORTHWHILE
CHEAP, CHEAP_WIDER = 0.06, 0.2  # most share of the scores, of rho; workloads as above | 22 tables, NLTCS
RECORDS_PER_CELL = 10.0  # least records in an average cell of a scored triple | xor-blocks
MOST_TRIPLES = 3_000  # those of 27 columns | design
MOST_SCORED_CELLS = 1 << 21  # of all scored tables together, which the ledger keeps | design
MOST_OWN_CELLS = 1 << 20  # of a triple in the domain's codes | design
MODEL_RECORDS = 50_000  # drawn from the model that scores compare with | design
MOST_FOR_TRIPLES = 0.15  # most share of the triples that stand out, of rho | 22 tables
FEW_CODES = 4  # columns of at most so many codes are scored in their own | xor-blocks, sums
RUN_PART, HEAP_PART = 1 / 4, 1 / 5  # least part of N in a run, in a heap, while scoring | Adult, sums
THIN_PART = 1 / 200  # a group with less of N joins another one | Adult
HALVINGS = 5  # of these parts, for a column with one heavy code | design
FALSE_ALARM = 0.01  # chance that noise makes any table stand out | design
WORTHWHILE = 0.25  # least excess that is measured, of N | Adult

# Line 5: tables of a target
OTHERS = (2, 3, 4)  # columns in a table beside the target | parity-3, parity-4
MOST_TABLE_CELLS = 1_000  # of a scored table, and of a tiling | parity-4, Adult
MOST_TARGET_TABLES = 20_000  # scored at once | design
HIDDEN = 0.5  # most that noise may hide of a table, of N | parity-3, parity-4
MOST_FOUND = 3  # tables that are measured one by one | parity-3, sums
TARGET_TABLES = 0.4  # their share, of rho | parity-3, parity-4
TILINGS = 40  # 20 and 80 do about as well | sums, Adult
TILE = 1 / 2  # part of N in a tile; 1/3 is worse for many columns | sums, Adult
