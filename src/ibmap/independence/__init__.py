"""Tests of conditional independence behind one small protocol."""
