"""dask.utils_test: the functions that examples delay."""


def inc(x):
    return x + 1


def dec(x):
    return x - 1


def add(x, y):
    return x + y
