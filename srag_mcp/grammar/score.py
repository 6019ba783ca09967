"""The score of a reading: what it assumes, weighed, and when it is sure enough to be answered."""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

Features: TypeAlias = Counter[str]

# What each assumption costs. Fitted by `python -m tests.benchmarks.fit_grammar`.
WEIGHTS: Mapping[str, float] = {
    "loss": 0.25,
    "unsaid_name": 0.6,
    "names_others": 1.3,
    "number_far": 0.3,
    "number_free": 0.3,
    "gap": 0.15,
    "not_own": 0.4,
    "date_assumed": 0.2,
    "value_part": 0.15,
    "value_part_small": 1.3,
    "value_own": 0.35,
    "value_unnamed": 0.1,
    "value_begins_others": 1.5,
    "case_whole": 0.1,
    "case_part": 1.0,
    "concept": 0.3,
    "records_ranked": 0.3,
    "groups_ranked": 0.3,
    "no_head": 0.3,
    "no_label": 2.0,
    "far_measure": 0.2,
    "measure_apart": 1.3,
    "who_guessed": 0.3,
    "list_numbers": 0.6,
    "counting": 0.0,
    "amount_assumed": 0.0,
}
LIMIT = 1.2
MARGIN = 0.25
# The score of a reading that need not be asked of a model, where one is named.
SURE = 0.75


def cost_of(features: Features) -> float:
    """Return what the assumptions of a reading cost together."""
    return sum(WEIGHTS[name] * value for name, value in features.items())
