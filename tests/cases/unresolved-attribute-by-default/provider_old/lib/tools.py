import os

USE_BLOCKS = os.environ.get("LIB_USE_BLOCKS", "0") == "1"

if USE_BLOCKS:

    class Reader:
        blocks = 1

else:

    class Reader:
        lines = 1
