"""What the data say for and against every pair, and where they are too thin to say anything.

An edge or a missing edge stands for two statements of the blanket closure. Here each is
given with its posterior and the counts it rests on.
"""
