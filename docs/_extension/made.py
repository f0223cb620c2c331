"""Pages of the reference are made from what they describe: a line `@@name argument@@` of a page becomes the Markdown
that the function of that name gives."""

import importlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

root = pathlib.Path(__file__).resolve().parents[2]
line = re.compile(r"^@@(\w+) ?(.*?)@@$", re.M)


def _table(head, rows):
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in cells)


def _rows(table, word):
    """The rows of a .def file: their arguments, texts without quotation marks."""
    text = re.sub(r"^//.*$", "", (root / "kasoku" / table).read_text(), flags=re.M)
    for row in re.finditer(rf"^{word}\((.*?)\)\s*$", text, re.M | re.S):
        yield [cell.strip('"') for cell in re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,"]+?)\s*(?:,|$)', row[1])]


# ── tables ────────────────────────────────────────────────────────────────────────────────


def operations():
    """Every row of ops.def."""
    head = ["function", "operands", "bool", "integer", "floating", "complex", ""]
    kinds = {"refused": "refused", "": "converted"}
    rows = []
    for name, arity, _, *texts, _, doc, _, _ in _rows("codegen/ops.def", "OP"):
        name = name.rstrip("_")
        has = ["" if text in kinds else "yes" for text in texts]
        rows.append([f"`ks.{name}`", arity, *has, doc])
    return _table(head, rows)


def variables():
    """Every row of env.def."""
    rows = [
        [f"`{name}`", f"`{default}`" if default else "", text] for name, default, text in _rows("base/env.def", "ENV")
    ]
    return _table(["variable", "default", "meaning"], rows)


def command(words=""):
    """The help of a command, as it prints it."""
    shown = subprocess.run(
        [sys.executable, "-m", "kasoku", *words.split(), "--help"], capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "88", "TERM": "dumb", "NO_COLOR": "1", "PYTHONPATH": str(root / "python")},
    )  # fmt: skip
    return f"```text\n$ kasoku {words} --help\n{shown.stdout.strip(chr(10))}\n```".replace(
        "kasoku  --help", "kasoku --help"
    )


# ── names of the Python package ───────────────────────────────────────────────────────────


def _public():
    import kasoku as ks

    for name in dir(ks):
        value = getattr(ks, name)
        if not name.startswith("_") and not inspect.ismodule(value):
            yield name, value


def _autodoc(directive, name, *options):
    lines = [f".. {directive}:: {name}", *(f"   :{option}:" for option in options)]
    return "\n".join(["```{eval-rst}", *lines, "```", ""])


def _described(name, module="kasoku"):
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value):
        return _autodoc("autoclass", f"{module}.{name}", "members")
    return _autodoc("autofunction" if callable(value) else "autodata", f"{module}.{name}")


def names(wanted):
    """The names that are listed, one after the other."""
    return "\n".join(_described(name) for name in wanted.split())


def _of_table(table, word):
    import kasoku as ks

    found = dict.fromkeys(row[0].rstrip("_") for row in _rows(table, word))
    return [name for name in found if hasattr(ks, name)]


def rows(table):
    """The functions that are rows of a table: `codegen/ops.def OP`."""
    file, word = table.split()
    return names(" ".join(_of_table(file, word)))


def others():
    """Public names that no page of the reference names, so that none is missing."""
    named = set()
    for page in (root / "docs/reference").glob("*.md"):
        for maker, argument in line.findall(page.read_text()):
            if maker == "names":
                named |= set(argument.split())
            elif maker == "rows":
                file, word = argument.split()
                named |= set(_of_table(file, word))
    import kasoku as ks

    return names(" ".join(name for name, _ in _public() if name not in named and name not in ks._of_numpy))


def numpys():
    """Names that are NumPy's own objects, which NumPy documents."""
    import kasoku as ks

    return ", ".join(f"`{name}`" for name in sorted(ks._of_numpy)) + "."


def module(name):
    """Every public name of a module of ours; errors have a page of their own."""
    inside, errors = importlib.import_module(name), importlib.import_module("kasoku.errors")
    own = [n for n in getattr(inside, "__all__", dir(inside)) if not n.startswith("_")]
    own = [n for n in own if inside is errors or n not in errors.__all__]
    return "\n".join(_described(n, name) for n in own if not inspect.ismodule(getattr(inside, n)))


def face(package):
    """What a face has, module by module, and what it refuses by name with the reason: from the tables that make it."""
    import pkgutil
    import types

    from kasoku.compat._face.refusals import reasons

    whole = importlib.import_module(f"kasoku.compat.{package}")
    walked = [info.name for info in pkgutil.walk_packages(whole.__path__, f"{whole.__name__}.")]
    made = [name for name in sys.modules if name.startswith(f"{whole.__name__}.")]  # rows of a table of modules
    found = [package, *(name.removeprefix("kasoku.compat.") for name in {*walked, *made})]
    rows = []
    for name in sorted(n for n in found if not any(part.startswith("_") for part in n.split("."))):
        inside = importlib.import_module(f"kasoku.compat.{name}")
        has = [n for n in dir(inside) if not n.startswith("_") and not isinstance(getattr(inside, n), types.ModuleType)]
        own = [n for n in has if n not in ("ks", "np", "Face")]
        rows.append([f"`{name}`", len(own), " ".join(f"`{n}`" for n in own)])
    refused = [[" ".join(f"`{package}.{n}`" for n in words.split()), why] for words, why in reasons[package].items()]
    return "\n\n".join([_table(["module", "names", "there"], rows), _table(["refused", "why"], refused)])


# ── C++ ───────────────────────────────────────────────────────────────────────────────────


def _headers():
    return re.findall(r'"(kasoku/[\w/]+\.h)"', (root / "kasoku/kasoku.h").read_text())


def headers():
    """What the headers declare that kasoku/kasoku.h includes, in the order of the folders."""
    parts, folder = [], None
    for header in _headers():
        if header.split("/")[1] != folder:
            folder = header.split("/")[1]
            parts.append(f"## {folder}\n")
        parts += [f"### {header}\n", _autodoc("doxygenfile", header)]
    return "\n".join(parts)


def run_doxygen(app):
    """XML of the headers, for Breathe."""
    out = pathlib.Path(app.outdir).parent / "doxygen"
    out.mkdir(parents=True, exist_ok=True)
    told = (root / "docs/Doxyfile").read_text() + f"\nINPUT = {' '.join(_headers())}\nOUTPUT_DIRECTORY = {out}\n"
    try:
        subprocess.run(["doxygen", "-"], input=told, text=True, check=True, cwd=root)
    except FileNotFoundError:
        sys.exit("the documentation needs doxygen\n  fix  make docs, which installs it")
    # Doxygen's index names files without their folders, by which Breathe is to find them.
    index = out / "xml/index.xml"
    tree = xml.parse(index)
    for file in tree.iterfind("compound[@kind='file']"):
        file.find("name").text = (
            xml.parse(out / f"xml/{file.get('refid')}.xml").find("compounddef/location").get("file")
        )
    tree.write(index)
    app.config.breathe_projects = {"kasoku": str(out / "xml")}
    app.config.breathe_default_project = "kasoku"


def _expand(app, page, source):
    makers = globals()
    source[0] = line.sub(lambda m: makers[m[1]](*([m[2]] if m[2] else [])), source[0])


def setup(app):
    app.connect("builder-inited", run_doxygen, priority=100)
    app.connect("source-read", _expand)
    return {"parallel_read_safe": True}
