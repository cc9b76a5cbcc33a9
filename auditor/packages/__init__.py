"""A package specification -> a `Release` whose Python sources can be read, file by file; nothing is installed."""
