# Tests of independence a second of bnlearn: Rscript bnlearn_child.R FOLDER SECONDS
# reads FOLDER/codes.csv and FOLDER/triplets.csv (x, y, given numbers separated by spaces, from 0).
arguments <- commandArgs(trailingOnly = TRUE)
if (!requireNamespace("bnlearn", quietly = TRUE)) quit(status = 3)
table <- read.csv(file.path(arguments[1], "codes.csv"), colClasses = "factor")
triplets <- read.csv(file.path(arguments[1], "triplets.csv"), colClasses = "character")
name <- function(number) names(table)[as.integer(number) + 1]
given <- lapply(strsplit(triplets$given, " "), name)
done <- 0
begun <- proc.time()[["elapsed"]]
for (k in seq_len(nrow(triplets))) {
  if (length(given[[k]]) == 0) {
    bnlearn::ci.test(name(triplets$x[k]), name(triplets$y[k]), data = table, test = "mi")
  } else {
    bnlearn::ci.test(name(triplets$x[k]), name(triplets$y[k]), given[[k]], data = table, test = "mi")
  }
  done <- done + 1
  if (proc.time()[["elapsed"]] - begun > as.numeric(arguments[2])) break
}
rate <- done / (proc.time()[["elapsed"]] - begun)
cat(sprintf('{"version": "%s", "rate": %f, "n_tests": %d}\n', packageVersion("bnlearn"), rate, as.integer(done)))
