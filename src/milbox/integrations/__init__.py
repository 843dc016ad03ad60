"""Where people already are: other tools' interfaces round milbox's strategies."""
