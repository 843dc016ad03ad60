"""A study as one self-contained HTML page, and the server that shows it while a run goes on."""

from milbox.page.document import page
from milbox.page.record import Record, read_record

__all__ = ["Record", "page", "read_record"]
