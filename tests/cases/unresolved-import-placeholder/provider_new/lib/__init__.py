"""Neither is there any more, and loading knows modes."""


def load(path, mode="plain"):
    return path, mode
