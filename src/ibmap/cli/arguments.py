"""The options of `ibmap learn` as the help shows them; `ibmap compare` shares some."""

from typing import Annotated

import typer

from ibmap.cli.options import Algorithm, Closure, Grow, Hyperparameters, Missing, Order, Rule, Slices, Test

READING, OUTPUT = "Reading the table", "Output"
CLIMB, BLANKETS, BAYES = "Search (ibmap, hc, ts)", "Blankets", "Tests of independence"

TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet or Arrow file, compressed or not; - reads standard input.",
        show_default=False,
    ),
]
Learner = Annotated[
    Algorithm,
    typer.Option(
        "--algorithm",
        "-a",
        help="ibmap: the recommended learner. The paper's: hc, hill climbing on the IB-score; ts, the most "
        "probable run of GSMN. The others: Markov blankets by tests.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the network: .json, .graphml, .dot, .csv (edges) or .adjacency.csv. Repeatable.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
ReportPage = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="PAGE",
        help="Write a page to look at: one .html file that opens in any browser.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print the network as JSON instead of the summary.", rich_help_panel=OUTPUT),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No warnings and no progress bar.", rich_help_panel=OUTPUT)
]
MissingValues = Annotated[
    Missing,
    typer.Option(
        help="Missing values: refuse them, drop their rows, or make them a state.", rich_help_panel=READING
    ),
]
BinRules = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULE",
        help="Cut numbers into intervals: width, frequency, a number, or COLUMN=one of these. Repeatable.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
DropColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="Leave out a column. Repeatable.", rich_help_panel=READING, show_default=False
    ),
]
KeepColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Keep only the columns named. Repeatable.",
        rich_help_panel=READING,
        show_default=False,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="Between two values: a character, or tab, comma, semicolon, pipe, space. (default: guessed)",
        rich_help_panel=READING,
        show_default=False,
    ),
]
TextEncoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How the text is encoded. (default: utf-8)",
        rich_help_panel=READING,
        show_default=False,
    ),
]
MissingMarks = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A missing value's mark, beside nothing at all. Repeatable. (default: ? NA N/A NaN null)",
        rich_help_panel=READING,
        show_default=False,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is data; columns are called x0, x1, ...", rich_help_panel=READING
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        metavar="gsmn|...|empty|best|FILE",
        help="ibmap, hc: begin with the structure of gsmn, gsmn-star, gsimn, iamb or hiton, no edges, or a "
        "network file; hc: best, the better of gsmn and no edges. (default: ibmap empty, hc gsmn)",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
MaxAscents = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="ibmap, hc: stop after so many changes, with the best so far.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="Stop searching after so many seconds, with the best so far.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
ClosureChoice = Annotated[
    Closure | None,
    typer.Option(
        help="ts: the algorithm whose runs are searched. (default: gsmn)",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
MaxGiven = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        min=0,
        help="hiton: variables a test is given at most. (default: 3)",
        rich_help_panel=BLANKETS,
        show_default=False,
    ),
]
MaxNodes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="ts: stop after so many states looked at, with the best so far and a bound.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="ts: stop when the search takes so much memory. (default: 1 GB)",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        min=1,
        help="Threads; one a core by default. The result is the same for any number.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
CheckpointFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Keep the search in a file, every few seconds and when it ends early.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
ResumeFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Go on from a checkpoint of the same table and options, and keep on writing it.",
        rich_help_panel=CLIMB,
        show_default=False,
    ),
]
TestChoice = Annotated[
    Test | None,
    typer.Option(
        help="Test of independence; hc takes those that give probabilities. (default: bayesian)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
RuleChoice = Annotated[
    Rule | None,
    typer.Option(
        help="Join two variables if either is in the other's blanket, or if both are. (default: or)",
        rich_help_panel=BLANKETS,
        show_default=False,
    ),
]
GrowChoice = Annotated[
    Grow | None,
    typer.Option(
        help="One pass of growing, or passes until one adds nothing. (default: once)",
        rich_help_panel=BLANKETS,
        show_default=False,
    ),
]
OrderChoice = Annotated[
    Order | None,
    typer.Option(
        help="Try the most dependent variable first, or go by column. (default: association)",
        rich_help_panel=BLANKETS,
        show_default=False,
    ),
]
Significance = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="Level of the chi-square and g tests. (default: 0.05)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
PriorProbability = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="Prior probability of independence. (default: ibmap learns it, else 0.5)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
HyperparameterChoice = Annotated[
    Hyperparameters | None,
    typer.Option(
        help="Dirichlet parameters: 1 and sums of it, all 1, or BDeu. (default: sums)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
EquivalentSampleSize = Annotated[
    float | None,
    typer.Option(
        metavar="A",
        help="For --hyperparameters bdeu. (default: 1)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        metavar="G",
        help="Pairwise test: price of many variables; 1 expects three neighbours each, 0 half of all. "
        "(default: 1)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
Ridge = Annotated[
    float | None,
    typer.Option(
        metavar="R",
        help="Pairwise test: precision of the prior on effects. (default: 1)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
OrderedColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="ibmap, pairwise test: a column whose states are in order; all for every column. Repeatable.",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
TableShare = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="ibmap: prior probability that neighbours act together; 0: main effects only. (default: 0.25)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]
SliceChoice = Annotated[
    Slices | None,
    typer.Option(
        help="Split the prior over all configurations of the given variables or the seen. (default: all)",
        rich_help_panel=BAYES,
        show_default=False,
    ),
]

MissingAsLearned = Annotated[
    Missing | None,
    typer.Option(
        help="Missing values of the table. (default: as the network was learned)",
        rich_help_panel=READING,
        show_default=False,
    ),
]
BinsAsLearned = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULE",
        help="Cut numbers into intervals, as in learn. (default: as the network was learned)",
        rich_help_panel=READING,
        show_default=False,
    ),
]
