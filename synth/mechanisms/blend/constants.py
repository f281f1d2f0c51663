"""Constants of Blend and Grove for measuring, as one table.

Each line has a name, a value, a meaning, and, after `|`, the benchmark tables on which the value was tuned.
If these tables were not recorded, the line names the commit that set the value. "Limit" means that the value
only limits time, memory or numerical error. "Of N" is a share of the records, and "of rho" a share of the
remaining budget. Line numbers refer to the algorithm in `blend.method`. The constants that concern fitting
are in `models.blend`.
"""

# Line 2: scores of all pairs
MOST_SCORING = 0.05  # Maximum cost of the scores, of rho | c25b5c52
LEAST_SCORING = 0.001  # Minimum cost of the scores, of rho | limit
FINE = 0.003  # Noise of a score that is precise enough, of N | 17b8fd8d
FINE_OF_ERROR = 0.5  # Noise of a precise score, of the error of a typical measured pair | 17b8fd8d
SCORED_GROUP = 2.5  # Minimum records in a scored group of codes, of sqrt(N) | 5edc9c39
MEASURED_PAIRS = 0.4  # Fraction of all pairs that a typical run measures | c25b5c52

# Lines 3 and 4: plans for pairs
BESIDE = 0.6  # Weight of e_r outside the tree; 0.4 to 0.8 give similar results | c25b5c52
MOST_COLUMNS = 0.4  # Share s of the columns from which they are not measured again | gauss50
UNSEEN = 2.0  # Numerator of the share of columns, over z^2; 4 gives similar results | small tables
MOST_AGAIN = 0.9  # Maximum cost of measuring columns again, of rho | small tables
LEAST_AGAIN = 0.005  # Minimum cost of measuring columns again, of rho | limit
CLEAR_SIGMAS = 5.0  # Count of a cell, in sigmas, that needs no other evidence | ede5fbeb
OWN_SIGMAS = 0.7  # Minimum t at which codes are not merged | 7ed45dbf; gauss10, factor-mixture

# Line 5, case a: all triples
ALL_CLEAR = 0.02  # Maximum predicted error of a triple for a workload of pairs, of N | NLTCS
ALL_CLEAR_WIDER = 0.08  # Maximum predicted error of a triple for a workload with triples, of N | NLTCS
BEFORE_ALL_TRIPLES = 0.4  # Cost of the pairs before scoring, of rho; 0.2 to 0.5 give similar results | NLTCS
ALL_TRIPLES_SCORING = 0.1  # Cost of the scores, of rho | NLTCS
TRIPLE_OF_PAIR = 1 / 5  # Cost of a triple's interaction, of a pair's | least noise of 10 to 20 columns

# Line 5, case b: triples with an excess
BEFORE_SCORES = 1 / 4  # Cost of the pairs before scoring, of rho | 18b4a3b8
FAINT = 0.055  # Noise of a triple's score, of N | the largest of 3,000 is below WORTHWHILE
CHEAP = 0.06  # Maximum cost of the scores for a workload of pairs, of rho | 56f91b57, NLTCS
CHEAP_WIDER = 0.2  # Maximum cost of the scores for a workload with triples, of rho | 56f91b57, NLTCS
CHEAP_FOUR = 0.01  # Maximum cost of scores for tables of four columns, of rho | parity-3-of-13
RECORDS_PER_CELL = 10.0  # Minimum records in an average cell of a scored table | 56f91b57
MOST_TRIPLES = 3_000  # Maximum number of scored tables; 27 columns have 2,925 triples | limit
MOST_SCORED_CELLS = 1 << 21  # Maximum number of cells of all scored tables, stored in the ledger | limit
MOST_OWN_CELLS = 1 << 20  # Maximum number of cells of a triple in the domain's codes | limit
MODEL_RECORDS = 50_000  # Number of records drawn from the model to which tables are compared | limit
MOST_FOR_TRIPLES = 0.15  # Maximum cost of the triples with an excess, of rho | 56f91b57
FEW_CODES = 4  # Maximum number of codes that are not merged while scoring | 18b4a3b8
RUN_PART = 1 / 4  # Minimum records in a group of neighbouring codes while scoring, of N | 18b4a3b8
HEAP_PART = 1 / 5  # Minimum records in a group of other codes while scoring, of N | 18b4a3b8
THIN_PART = 1 / 200  # Minimum records in any group, of N | below the smallest RUN_PART and HEAP_PART
HALVINGS = 5  # Maximum number of times RUN_PART and HEAP_PART are halved, for one frequent code | limit
FALSE_ALARM = 0.01  # Probability that noise alone causes any significant excess | limit
WORTHWHILE = 0.25  # Minimum excess of a measured table, of N | tables of Adult's income reach 0.18

# Lines 3 and 5: target
ALIKE_IF = 1 / 2  # Maximum A for equal costs, of T | readmitted-2400-rows
OTHERS = (2, 3, 4)  # Number of other columns in a table of the target | limit
MOST_TABLE_CELLS = 1_000  # Maximum number of cells of a scored table or a tiling | 18b4a3b8
MOST_TARGET_TABLES = 20_000  # Maximum number of tables scored at once | limit
HIDDEN = 0.5  # Maximum excess that the noise of a score can hide, of N | 18b4a3b8
MOST_FOUND = 3  # Maximum number of separately measured tables | 18b4a3b8
TARGET_TABLES = 0.4  # Cost of the separately measured tables or the tilings, of rho | 18b4a3b8; diamonds
TILINGS = 40  # Number of tilings; 20 and 80 give similar results | 5ab7c4a2
TILE = 1 / 2  # Records in a tile, of N; 1/3 is worse for many columns | 5ab7c4a2
