"""A study as one self-contained HTML page, and the server that shows it while a run goes on."""

from milbox.page.document import page

__all__ = ["page"]
