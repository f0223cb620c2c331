"""Makes a failing kernel small: takes lines, braces and parts of expressions away for as long as fibers accept what is
left and the target fails in the same way."""

import dataclasses
import re

from fuzz import oracle

BATCH = 24


def alike(kind, message):
    """What two failures of one cause have in common."""
    return kind if kind in ("wrong", "hang") else (kind, re.sub(r"0x\w+|\d+|'.*?'", "", message)[:60])


def shrunk(kernel, failure, verdicts, say=lambda text: None):
    """The smallest kernel found that fails like `failure`; `verdicts(kernels, expected)` runs some on the target."""
    wanted = alike(*failure)

    def failing(candidates):
        expected = oracle.expected(candidates, explain=False, seconds=1)
        good = [(k, e) for k, e in zip(candidates, expected) if not isinstance(e, oracle.Defect)]
        if not good:
            return []
        found = verdicts(*zip(*good))
        return [k for (k, _), verdict in zip(good, found) if verdict and alike(*verdict) == wanted]

    before = None
    while before != (before := measure(kernel)):
        for edits in (lines_away, launch_smaller, expressions_smaller):
            kernel = reduced(kernel, edits, failing)
            say(f"{len(kernel.text)} characters, {kernel.text.count(chr(10))} lines")
    return kernel


def reduced(kernel, edits, failing):
    """Tries all edits of a kind, some at a time, and goes on behind the one that was taken.

    The lines that give each thread an element of `out` stay, so that threads do not write to each other's.
    """
    at = 0
    while True:
        kept = [
            line
            for line in kernel.text.splitlines()
            if re.search(r"const unsigned t =|const unsigned gid =|out\[gid\] = h", line)
        ]
        candidates = [k for k in edits(kernel) if measure(k) < measure(kernel) and all(line in k.text for line in kept)]
        if at >= len(candidates):
            return kernel
        some = candidates[at : at + BATCH]
        works = failing(some)
        if not works:
            at += len(some)
            continue
        kernel = min(works, key=measure)
        at += some.index(kernel)


def measure(kernel):
    return len(kernel.text), kernel.grid


def with_lines(kernel, lines):
    return dataclasses.replace(kernel, text="\n".join(lines) + "\n")


def closing(lines, first):
    """The line that closes the brace opened at `first`, or None."""
    depth = 0
    for i in range(first, len(lines)):
        for c in lines[i]:
            depth += (c == "{") - (c == "}")
            if depth < 0:
                return None
        if depth == 0:
            return i
    return None


def lines_away(kernel):
    lines = [line for line in kernel.text.splitlines() if line.strip()]
    for n in (16, 8, 4, 2):
        for i in range(0, len(lines) - n + 1, max(1, n // 2)):
            part = "".join(lines[i : i + n])
            if part.count("{") == part.count("}"):
                yield with_lines(kernel, lines[:i] + lines[i + n :])
    for i, line in enumerate(lines):
        end = closing(lines, i)
        if end is None or end == i:
            if line.count("{") == line.count("}") and not line.lstrip().startswith("}"):
                yield with_lines(kernel, lines[:i] + lines[i + 1 :])
            continue
        yield with_lines(kernel, lines[:i] + lines[end + 1 :])
        yield with_lines(kernel, lines[:i] + lines[i + 1 : end] + lines[end + 1 :])
        for j in range(i + 1, end):  # arms
            if re.match(r"\s*\} else", lines[j]) and "".join(lines[i + 1 : j]).count("{") == "".join(
                lines[i + 1 : j]
            ).count("}"):
                yield with_lines(kernel, lines[:j] + lines[end:])
                yield with_lines(kernel, lines[:i] + lines[j + 1 : end] + lines[end + 1 :])
                yield with_lines(kernel, lines[: i + 1] + lines[j + 1 :])


def launch_smaller(kernel):
    rest = (1,) * (len(kernel.grid) - 1)
    for grid in ((1, *rest), (2, *rest)):
        if grid < kernel.grid:
            yield dataclasses.replace(kernel, grid=grid)


def groups(text):
    """Places of balanced parentheses, outer ones first."""
    stack, found = [], []
    for i, c in enumerate(text):
        if c == "(":
            stack.append(i)
        elif c == ")" and stack:
            found.append((stack.pop(), i + 1))
    return sorted(found, key=lambda p: p[0] - p[1])


def parts(inside):
    """Where a text in parentheses is divided by operators and commas outside of inner ones."""
    depth, cuts = 0, []
    for i, c in enumerate(inside):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and (m := re.match(r",|\s[-+*/%&|^<>=!?:]+\s", inside[i:])):
            cuts.append((i, i + m.end()))
    return cuts


def expressions_smaller(kernel):
    text = kernel.text
    body = text.index("{")
    for a, b in groups(text):
        if a < body:
            continue
        inside = text[a + 1 : b - 1]
        before = re.search(r"\w+(<[\w ]+>)?$", text[:a])
        start = before.start() if before else a
        if not re.fullmatch(r"\(?\w+\)?", inside):
            for new in ("0u", "1u"):
                yield dataclasses.replace(kernel, text=text[: a + 1] + new + text[b - 1 :])
        cuts = parts(inside)
        edges = [0] + [x for cut in cuts for x in cut] + [len(inside)]
        for i in range(0, len(edges), 2):
            piece = inside[edges[i] : edges[i + 1]]
            yield dataclasses.replace(kernel, text=text[: a + 1] + piece + text[b - 1 :])
            if before and before.group() not in ("if", "for", "while", "switch"):
                yield dataclasses.replace(kernel, text=text[:start] + f"({piece})" + text[b:])
        if (
            not before
            and re.fullmatch(r"\w+", inside)
            and inside not in ("unsigned", "int", "short", "float", "double")
        ):
            yield dataclasses.replace(kernel, text=text[:a] + inside + text[b:])
    for m in re.finditer(r"\((unsigned|int)\)", text):
        yield dataclasses.replace(kernel, text=text[: m.start()] + text[m.end() :])
    for m in re.finditer(r"= ([^;=]{3,});", text):
        for new in ("0u", "1u", "t"):
            if m.start() > body and m.group(1) != new:
                yield dataclasses.replace(kernel, text=text[: m.start(1)] + new + text[m.end(1) :])
    for m in re.finditer(r"(?:\s[-+*^&|]\s)(\w+)\b", text):
        if m.start() > body:
            yield dataclasses.replace(kernel, text=text[: m.start()] + text[m.end() :])
    for m in re.finditer(r"\b\d{2,}u", text):
        if m.start() > body:
            yield dataclasses.replace(kernel, text=text[: m.start()] + "1u" + text[m.end() :])
