from ._compiled import *
from .types import *
