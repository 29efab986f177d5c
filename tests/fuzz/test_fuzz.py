"""A minute of hostile tables and files, always the same; `python -m tests.fuzz` takes longer."""

import pytest

from effort import scaled
from fuzz import fuzzing

pytestmark = pytest.mark.filterwarnings("ignore")  # what other libraries say of what they are fed


@pytest.mark.parametrize("part", range(2))
def test_hostile_files_are_read_or_refused(tmp_path, part):
    fuzzing.read_tables(range(part * 5000, part * 5000 + scaled(2500, 50)), tmp_path)


def test_hostile_frames_are_encoded_or_refused():
    fuzzing.encode_frames(range(scaled(5000, 50)))


def test_what_can_be_learned_can_be_saved():
    fuzzing.learn_frames(range(scaled(300, 10)))


def test_commands_end_with_a_word_and_whole_files(tmp_path):
    fuzzing.run_commands(range(scaled(300, 10)), tmp_path)


@pytest.mark.compiled_only("a damaged checkpoint is resumed")
def test_damaged_files_are_refused_by_field_or_harmless(tmp_path):
    fuzzing.read_files(range(2000), tmp_path)
