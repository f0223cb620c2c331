#!/usr/bin/env python3
"""Fails on what two files that are compiled together (compile_together() in CMakeLists.txt) declare for themselves under one name.

Which files these are changes with each new file, so the compiler says so only when they happen to meet. Functions of one
name are allowed if their parameters differ, as they are in one file. The texts of kernels are looked at in the same way: a
helper of `codegen` stands in a text of `jit` as soon as a function uses an operation that calls it.
"""

import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
together = {
    "the engine": [
        p for folder in ("array", "check", "jit", "kernel", "task") for p in root.glob(f"kasoku/{folder}/**/*.cpp")
    ],
    "the compiler": list(root.glob("kasoku/compile/clang/passes/*.cpp")),
    "the bindings": [p for p in root.glob("python/src/*.cpp") if not p.name.startswith("jit")],
}

# Texts, comments, characters and directives, which may hold brackets that do not match; lines stay where they are.
_no_code = re.compile(
    r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.S | re.M,
)


def declarations(text):
    """What stands before each body or semicolon that is in no body, and the names of the namespaces around it."""
    text = _no_code.sub(lambda found: "\n" * found[0].count("\n"), text)
    spaces, depth, start = [], 0, 0
    for at in re.finditer(r"[{;}]", text):
        head = " ".join(text[start : at.start()].split())
        start = at.end()
        space = re.fullmatch(r"(?:inline )?namespace ?([\w:]*)", head) if at[0] == "{" else None
        if depth == 0 and space:
            spaces.append(space[1])
        elif at[0] == "}":
            depth -= depth > 0 or (spaces.pop(), 0)[1]
        else:
            if depth == 0 and head:
                yield head, tuple(spaces), text.count("\n", 0, start) + 1
            depth += at[0] == "{"


def _bracketed(text, opening, closing):
    """Up to where the bracket closes that the text begins with."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == opening) - (letter == closing)
        if depth == 0:
            return text[: i + 1]
    return text


def _type(parameter):
    """A parameter without its name and default."""
    text = re.sub(r"\b(nb|nanobind|std)::", "", parameter.partition("=")[0].strip())
    named = re.fullmatch(r"(.*[ *&>])(\w+)", text)
    return (named[1] if named else text).replace(" ", "")


def declared(head):
    """The name, and the parameters' types of a function; None for what declares nothing of its own."""
    while head.startswith("template"):
        rest = head.removeprefix("template").lstrip()
        head = rest.removeprefix(_bracketed(rest, "<", ">")).lstrip()
    head = re.sub(
        r"\[\[.*?\]\]|__attribute__ ?\(\(.*?\)\)|alignas\(.*?\)|__align__\((?:[^()]|\([^()]*\))*\)", "", head
    ).strip()
    if re.match(r"(using namespace|using enum|static_assert|extern|friend|namespace)\b", head):
        return None
    if kind := re.match(r"using (\w+) ?=", head) or re.match(
        r"(?:enum class|enum|struct|class|union) (\w+)(?: final)?(?: ?:.*)?$", head
    ):
        return kind[1], None
    before = re.split(r"(?<![=!<>])=(?!=)", head)[0]
    if found := re.search(r"[\w>] ?[*&]*[ *&>](\w+) ?\(", before):
        inside = _bracketed(before[found.end() - 1 :], "(", ")")[1:-1]
        parts, depth = [""], 0
        for letter in inside:
            depth += (letter in "<([{") - (letter in ">)]}")
            parts[-1] += letter
            if letter == "," and depth == 0:
                parts[-1:] = [parts[-1][:-1], ""]
        return found[1], tuple(map(_type, parts))
    value = re.search(r"(\w+) ?(?:\[[^\]]*\] ?)*$", before)
    return (value[1], None) if value and " " in before else None


def is_passed(name, text):
    """Whether a function is given to another one or stands in a table: which of several is meant nobody says there."""
    return re.search(rf"[<{{(,&=?:] ?&?{name} ?[>,)}};]", _no_code.sub("", text)) is not None


bad = []
for what, files in together.items():
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    texts = {path: path.read_text(errors="replace") for path in sorted(files)}
    for path, text in texts.items():
        for head, spaces, line in declarations(text):
            if "" in spaces or re.match(r"(template ?<.*> )?static\b", head):
                name, parameters = declared(head) or (None, None)
                if name:
                    seen["::".join((*filter(None, spaces), name))][parameters].append((path, line))
    for name, kinds in sorted(seen.items()):
        every = sum(kinds.values(), [])
        last = name.rpartition("::")[2]
        is_one = (
            None in kinds or len({path for path, _ in every}) > 1 and any(is_passed(last, texts[p]) for p, _ in every)
        )
        bad += [
            f"{name}: in {what} it is {', '.join(f'{path.relative_to(root)}:{line}' for path, line in places)}"
            for places in ([every] if is_one else kinds.values())
            if len({path for path, _ in places}) > 1
        ]


def text_names(files, raw):
    """What the raw strings of `files` that `raw` finds define: name and parameters, and where."""
    found = {}
    for path in files:
        text = path.read_text()
        for piece in raw.finditer(text):
            line = text.count("\n", 0, piece.start(2)) + 1
            for macro in re.finditer(r"^#define (\w+)", piece[2], re.M):
                found.setdefault(
                    (macro[1], None), f"{path.relative_to(root)}:{line + piece[2].count(chr(10), 0, macro.start())}"
                )
            for head, _, at in declarations(piece[2]):
                if name := declared(head):
                    found.setdefault(name, f"{path.relative_to(root)}:{line + at - 1}")
    return found


helpers = text_names(sorted(root.glob("kasoku/codegen/*.def")), re.compile(r'R"(\w*)\((.*?)\)\1"', re.S))
support = text_names(sorted(root.glob("kasoku/jit/support_*.inc")), re.compile(r'R"(KS_TEXT)\((.*?)\)KS_TEXT"', re.S))
for (name, parameters), place in sorted(support.items(), key=str):
    for (other, others), helper in helpers.items():
        if name == other and (parameters == others or None in (parameters, others)):
            bad.append(f"{name}: a text of jit and a helper of codegen define it, {place} and {helper}")
print("\n".join(bad) or "names: clean")
sys.exit(bool(bad))
