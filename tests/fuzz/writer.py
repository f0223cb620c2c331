"""Chance, names and lines: what the parts of the generator share."""

import random

CONSTANTS = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 100, 255, 256, 1000, 65535]
CONSTANTS += [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


class Writer:
    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.lines, self.indent, self.names = [], 0, 0
        self.features = set()

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, *options):
        return self.random.choice(options)

    def below(self, n):
        return self.random.randrange(n)

    def weighted(self, options):
        return self.random.choices([o for o, _ in options], [w for _, w in options])[0]

    def constant(self):
        return self.random.choice(CONSTANTS) if self.chance(80) else self.below(1 << 32)

    def has(self, feature):
        return feature in self.features

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def block(self, head, body, tail="}"):
        """Lines in braces; `body` writes them, or is one."""
        self.line(head + " {")
        self.indent += 1
        self.line(body) if isinstance(body, str) else body()
        self.indent -= 1
        self.line(tail)

    def orelse(self, body, condition=None):
        """Another arm of the branch whose brace was written last."""
        self.lines.pop()
        self.block("} else" + (f" if ({condition})" if condition else ""), body)
