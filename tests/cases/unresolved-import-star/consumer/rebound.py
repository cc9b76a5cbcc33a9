from lib import *

LIMIT = 4
print(LIMIT)  # ok: bound here
