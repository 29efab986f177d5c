"""Studies of learners, and those of the paper.

A study is declared (`study`), run in parallel with what is done kept (`runner`), and summed up
next to the published numbers (`comparison`, `tables`, `figures`). `paper` declares the studies of the
paper; ``ibmap reproduce`` runs them.
"""
