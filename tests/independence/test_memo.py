"""Answers remembered up to a limit, questions counted beyond it."""

from ibmap.independence.memo import Memo


def test_the_newest_answers_stay_and_all_questions_count():
    memo = Memo(limit=10)
    for k in range(100):
        memo.put((0, k, ()), k)
        assert memo.get((0, k, ())) == k
    kept = [k for k in range(100) if memo.get((0, k, ())) is not None]
    assert kept == list(range(100 - len(kept), 100))
    assert 5 <= len(kept) <= 10
    assert memo.n_distinct == 100
