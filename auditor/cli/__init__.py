"""The command line: one file a command under `commands/`, found by name and imported only when it is called."""
