"""A sudoku by candidates and backtracking: indices, masks and small arrays."""

import sys

import numpy as np

PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def solve(board):
    empty = np.argwhere(board == 0)
    if len(empty) == 0:
        return board
    best, choices = None, None
    for i, j in empty:
        bi, bj = 3 * (i // 3), 3 * (j // 3)
        used = np.union1d(np.union1d(board[i, :], board[:, j]), board[bi : bi + 3, bj : bj + 3].ravel())
        free = np.setdiff1d(np.arange(1, 10), used)
        if choices is None or len(free) < len(choices):
            best, choices = (i, j), free
    for value in choices:
        attempt = board.copy()
        attempt[best] = value
        solved = solve(attempt)
        if solved is not None:
            return solved
    return None


def run(times=1):
    for _ in range(times):
        board = np.array([int(c) for c in PUZZLE]).reshape(9, 9)
        solved = solve(board)
    blocks = solved.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9)
    right = all((np.sort(part, axis=1) == np.arange(1, 10)).all() for part in (solved, solved.T, blocks))
    return solved, right


if __name__ == "__main__":
    solved, right = run(*map(int, sys.argv[1:]))
    print(solved)
    print("right:", right, "by digit:", {int(d): int(c) for d, c in zip(*np.unique(solved, return_counts=True))})
