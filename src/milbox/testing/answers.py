"""What a test expects of an answer."""

from milbox.trials import Answer, Empty, Found, Proposal


def proposed(answer: Answer) -> tuple[Proposal, ...]:
    """The proposals of an answer that must have some."""
    assert isinstance(answer, Found), answer
    return answer.proposals


def all_proposed(answer: Answer) -> tuple[Proposal, ...]:
    """The proposals of an answer that has some or proves that there is none."""
    return () if isinstance(answer, Empty) else proposed(answer)
