from lib import *
