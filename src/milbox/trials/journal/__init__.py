"""The journal behind a study: a file (`file`, `lock`) or a database (`postgres`), with the same `tables`."""

from milbox.domain import Domain
from milbox.trials.header import Header
from milbox.trials.journal.file import Journal
from milbox.trials.journal.place import Place, Url, name_of, place_of
from milbox.trials.journal.postgres import SharedJournal
from milbox.trials.journal.reading import Glance, exists, glance, read_journal

__all__ = [
    "Glance",
    "Journal",
    "Place",
    "SharedJournal",
    "Url",
    "exists",
    "glance",
    "name_of",
    "open_journal",
    "place_of",
    "read_journal",
]


def open_journal(place: Place, header: Header, domain: Domain) -> Journal | SharedJournal:
    """The journal at a place to write to; it is created where there is none."""
    if isinstance(place, Url):
        return SharedJournal(place, header, domain)
    return Journal(place, header, domain)
