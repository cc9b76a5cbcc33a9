"""One module per command, each with a click command called `command`."""
