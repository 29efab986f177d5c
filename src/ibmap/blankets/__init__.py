"""Independence-based learners: a blanket for each variable, joined to a graph."""
