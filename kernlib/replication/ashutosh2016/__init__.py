"""Document 3: A. Ashutosh, D. Chen, Y. Xiao (2016), Machine Learning Lecture 6 Note.

It prints no result; what it says is decided by small experiments on the library's learners.
"""

from kernlib.replication.ashutosh2016 import algorithms, claims, objectives

__all__ = ["algorithms", "claims", "objectives"]
