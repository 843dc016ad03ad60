"""The file behind a study: opened and read (`file`), its tables (`tables`), and who may write it (`lock`)."""

from milbox.trials.journal.file import Glance, Journal, glance, read_journal

__all__ = ["Glance", "Journal", "glance", "read_journal"]
