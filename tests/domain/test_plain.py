"""A plain assignment is JSON and the same point."""

import json

from hypothesis import given

import milbox as mb
from generators import small_domains
from milbox.domain import Domain


@given(small_domains())
def test_a_plain_assignment_goes_through_json(domain: Domain) -> None:
    for point in list(domain)[:10]:
        text = json.dumps(mb.plain(domain.assignment(point)))
        assert domain.point(json.loads(text)) == point
