from .multiarray import float64
