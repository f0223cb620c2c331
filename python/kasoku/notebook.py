"""Notebooks: running one from the command line, and `%load_ext kasoku` in Jupyter."""

import ast
import atexit
import contextlib
import inspect
import json
import linecache
import os
import shutil
import subprocess
import sys
import time

from . import redirect

# ── in Jupyter ────────────────────────────────────────────────────────────────────────────


def load(shell):
    """Cells, and modules beside the notebook, get kasoku's faces from now on."""
    redirect.install([os.getcwd()])


def unload():
    redirect.uninstall()


# ── from the command line ─────────────────────────────────────────────────────────────────


def run_notebook(path, main):
    """Runs the code cells of a notebook in order and shows their outputs as they come. The
    first cell that fails ends the run, as it does in Jupyter's "run all"."""
    cells = [text for kind, text in read_cells(path) if kind == "code"]
    session = Session(main, os.path.basename(path), len(cells))
    for text in cells:
        session.run(text)


def read_cells(path):
    with open(path, encoding="utf-8") as stream:
        try:
            notebook = json.load(stream)
        except ValueError as error:
            raise SystemExit(f"kasoku run: {path} is not a notebook: {error}") from None
    if "cells" not in notebook and "worksheets" in notebook:  # format 3
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet.get("cells", ())]
    else:
        cells = notebook.get("cells", ())
    for cell in cells:
        text = cell.get("source", cell.get("input", ""))
        yield cell.get("cell_type"), text if isinstance(text, str) else "".join(text)


class Session:
    """Cells that share names, as a Jupyter kernel runs them: the value of a cell's last
    expression is shown, `Out`, `_` and magics work: IPython's own where it is installed, else the common ones."""

    def __init__(self, main, title="notebook", n_cells=None):
        self.main = main
        self.names = names = main.__dict__
        self.shell = None
        self.title = title
        self.n_cells = n_cells
        self.number = 0
        self.outputs = {}
        self.loop = None
        names.update(In=[""], Out=self.outputs, display=display, _="", __="", ___="")

    def run(self, text):
        self.number += 1
        self.names["In"].append(text)
        self.run_inner(text)

    def run_inner(self, text):
        """The text of a cell, or what a magic of IPython's has run of it."""
        of = f"/{self.n_cells}" if self.n_cells else ""
        name = f"<{self.title} cell {self.number}{of}>"
        text, timed = self._without_magics(text)
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        start = time.perf_counter()
        try:
            self._run_tree(ast.parse(text, name), name, text)
        finally:
            if timed:
                print(f"Wall time: {time.perf_counter() - start:.3g} s")
            sys.stdout.flush()

    def _run_tree(self, tree, name, text):
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not _is_quiet(text):
            last = ast.Expression(tree.body.pop().value)
        self._execute(compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True))
        if last is not None:
            value = self._execute(compile(last, name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True))
            if value is not None:
                self._keep(value)
                print(f"Out[{self.number}]: {_pretty(value)}")

    def _execute(self, code):
        value = eval(code, self.names)
        if code.co_flags & inspect.CO_COROUTINE:
            if self.loop is None:
                import asyncio

                self.loop = asyncio.new_event_loop()
            value = self.loop.run_until_complete(value)
        return value

    def _keep(self, value):
        names = self.names
        names["___"], names["__"], names["_"] = names["__"], names["_"], value
        names[f"_{self.number}"] = self.outputs[self.number] = value

    # ── magics by IPython ─────────────────────────────────────────────────────────────────

    def _get_ipython(self):
        """A shell of IPython's, whose magics work on the names of this session."""
        if self.shell is None:
            inputs = self.names["In"]
            self.shell = _make_shell(self)
            self.names.update(In=inputs, Out=self.outputs, display=display)
        return self.shell

    # ── without it: those that programs on the web use; the rest by name ─────────────────

    def _without_magics(self, text):
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(text)
            return text, False  # plain Python; a % inside a string stays what it is
        transform = _transformer()
        if transform is not None:
            self.names["get_ipython"] = self._get_ipython
            return transform(text), False
        lines, timed = text.split("\n"), False
        while lines and lines[0].startswith("%%"):
            word, _, rest = lines.pop(0)[2:].partition(" ")
            if word in ("time", "timeit", "capture"):
                timed = word != "capture"
            elif word in ("bash", "sh"):
                return self._call("shell", "\n".join(lines)), False
            else:
                self._refuse("%%" + word)
        return "\n".join(self._line(line) for line in lines), timed

    def _line(self, line):
        bare = line.lstrip()
        indent = line[: len(line) - len(bare)]
        if bare.startswith("!"):
            return indent + self._call("shell", bare[1:])
        if not bare.startswith("%") or not bare[1:2].isalpha():
            return line
        word, _, rest = bare[1:].partition(" ")
        if word in ("load_ext", "reload_ext", "matplotlib", "config", "autoreload", "precision"):
            return indent + "pass"
        if word in ("time", "timeit"):
            return indent + self._call("time", rest)
        if word in ("pip", "conda"):
            return indent + self._call("shell", f"{sys.executable} -m {word} {rest}")
        if word == "env" and "=" in rest:
            return indent + self._call("env", rest)
        if word == "cd":
            return indent + self._call("cd", rest.strip())
        return self._refuse("%" + word)

    def _call(self, what, text):
        self.names["__kasoku_magic__"] = self._magic
        return f"__kasoku_magic__({what!r}, {text!r})"

    def _magic(self, what, text):
        if what == "shell":
            subprocess.run(text, shell=True, check=False)
        elif what == "cd":
            os.chdir(os.path.expanduser(text))
        elif what == "env":
            name, _, value = text.partition("=")
            os.environ[name.strip()] = value.strip()
        else:
            start = time.perf_counter()
            with contextlib.suppress(SyntaxError):
                value = eval(compile(text, "<magic>", "eval"), self.names)
                print(f"Wall time: {time.perf_counter() - start:.3g} s")
                return value
            exec(compile(text, "<magic>", "exec"), self.names)
            print(f"Wall time: {time.perf_counter() - start:.3g} s")
        return None

    def _refuse(self, word):
        raise SystemExit(
            f"kasoku run: {self.title}, cell {self.number}: the magic {word} works in Jupyter only\n"
            "  fix  open the notebook in Jupyter and put `%load_ext kasoku` in its first cell"
        )


def _transformer():
    """The function that turns a cell's magics, `!` and `?` into Python; None without IPython."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return None
    return TransformerManager().transform_cell


def _make_shell(session):
    import tempfile

    from IPython.core.error import UsageError
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        """Magics alone: cells are the session's, and so are tracebacks and what is shown."""

        without = {"matplotlib", "config", "autoreload", "precision"}  # they set up a front end, which is not here

        def run_line_magic(self, magic_name, line, _stack_depth=1):
            if magic_name in self.without or (magic_name in ("load_ext", "reload_ext") and line.split() == ["kasoku"]):
                return None
            with self._in_a_sentence("%" + magic_name):
                return super().run_line_magic(magic_name, line, _stack_depth + 1)

        def run_cell_magic(self, magic_name, line, cell):
            with self._in_a_sentence("%%" + magic_name):
                return super().run_cell_magic(magic_name, line, cell)

        @contextlib.contextmanager
        def _in_a_sentence(self, word):
            try:
                yield
            except UsageError as error:
                if "not found" in str(error):
                    session._refuse(word)
                raise SystemExit(f"kasoku run: {session.title}, cell {session.number}: {error}") from None

        def showtraceback(self, *_, **__):
            raise sys.exc_info()[1]  # a magic would go on after an error of the program

        def run_cell(self, raw_cell, *_, **__):
            return session.run_inner(raw_cell)

        def init_sys_modules(self):
            """The program's __main__ is there already."""

    folder = tempfile.mkdtemp(prefix="kasoku-ipython-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    config = Config()
    config.HistoryManager.enabled = False
    return Shell(config=config, user_module=session.main, ipython_dir=folder)


def display(*values, **_):
    for value in values:
        print(_pretty(value))


def _is_quiet(text):
    """A semicolon at the end hides the value, as in IPython."""
    import io
    import tokenize

    last = ""
    with contextlib.suppress(tokenize.TokenError, IndentationError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP or token.string.strip() and token.type != tokenize.COMMENT:
                last = token.string
    return last == ";"


def _pretty(value):
    """Arrays start on a line of their own, so that their columns stay aligned."""
    text = repr(value)
    return f"\n{text}" if "\n" in text else text
