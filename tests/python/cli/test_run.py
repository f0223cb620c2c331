"""`kasoku run`: the program sees what `python` shows it, and only its own imports are redirected."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

run_words = [os.path.join(os.path.dirname(sys.executable), "kasoku"), "run"]


@pytest.fixture
def program(tmp_path):
    """Writes files and runs one: program({"main.py": text}, arguments) -> CompletedProcess."""

    def run(files, *arguments, words=("main.py",), stdin=None, env=None):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return subprocess.run(
            [*run_words, *words, *arguments],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **(env or {})},
        )

    run.folder = tmp_path
    return run


def test_the_program_sees_what_python_shows_it(program):
    files = {
        "app/main.py": """
            import sys, beside
            print(sys.argv[1:], __name__, sys.modules["__main__"].__dict__ is globals())
            print(__file__ == sys.modules["__main__"].__file__, __spec__, beside.__name__)
            import os
            print(os.path.samefile(sys.path[0], os.path.dirname(__file__)))
        """,
        "app/beside.py": "",
    }
    result = program(files, "a", "--explain", "-m", words=("app/main.py",))
    assert result.stdout.splitlines() == [
        "['a', '--explain', '-m'] __main__ True",
        "True None beside",
        "True",
    ], result.stderr


@pytest.mark.parametrize(
    "text, status, said",
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("raise SystemExit('no')", 1, "no\n"),
        ("pass", 0, ""),
        ("x = (", 1, "SyntaxError"),
    ],
)
def test_the_exit_status_is_the_programs(program, text, status, said):
    result = program({"main.py": text})
    assert result.returncode == status and said in result.stderr


def test_packages_have_the_name_that_the_program_imports(program):
    text = """
        import cupy, numpy, dask, numba
        from cupyx.profiler import benchmark
        from cupy import linalg, testing, cuda
        print([m.__name__ for m in (cupy, numpy, dask, numba, cupy.get_array_module(cupy.ones(3)))])
        import importlib
        print(importlib.import_module("cupy") is cupy, cupy.polynomial is importlib.import_module("cupy.polynomial"))
        try:
            cupy.nothing_of_this_name
        except AttributeError as error:
            print(str(error).splitlines()[0])
    """
    result = program({"main.py": text})
    assert result.stdout.splitlines() == [
        "['cupy', 'numpy', 'dask', 'numba', 'cupy']",
        "True True",
        "kasoku does not have cupy.nothing_of_this_name yet",
    ], result.stderr


def test_a_call_of_import_is_a_programs_import_too(program):
    text = """
        import torch
        print(__import__("torch") is torch)
        print(__import__("torch.fft", fromlist=["no such name"]) is torch.fft, __import__("json").dumps([1]))
        try:
            from torch.fft import nothing
        except ImportError as error:
            print(str(error).splitlines()[0])
    """
    result = program({"main.py": text})
    assert result.stdout.splitlines() == ["True", "True [1]", "kasoku does not have torch.fft.nothing yet"], (
        result.stderr
    )


def test_distributed_is_dasks(program):
    text = """
        from distributed import Client, LocalCluster, as_completed, fire_and_forget
        import dask.distributed, distributed
        print(distributed is dask.distributed, hasattr(distributed, "nothing"))
        if __name__ == "__main__":
            with Client(LocalCluster(n_workers=2)) as client:
                print(sorted(f.result() for f in as_completed(client.map(abs, [-1, 2]))), client)
    """
    result = program({"main.py": text})
    assert result.stdout.splitlines()[0] == "True False" and "[1, 2] <Client: threads" in result.stdout, result.stderr


@pytest.mark.parametrize("words, said", [
    (["-c", "x = ("], "  File \"<string>\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n"),
    ([""], "kasoku run: there is no file ''\n"),
    (["missing.py"], "kasoku run: there is no file missing.py\n"),
    (["--nothing"], "kasoku run: no option --nothing\n  fix  `kasoku run --help` lists the options\n"),
    (["--chekc", "x.py"], "kasoku run: no option --chekc; did you mean '--check'?\n  fix  `kasoku run --help` lists the options\n"),
    (["--device"], "kasoku run: --device wants a value\n  fix  `kasoku run --help` lists the options\n"),
    (["--gpus", "0", "x.py"], "kasoku run: --gpus wants a number from 1, not '0'\n  fix  `kasoku run --help` lists the options\n"),
])  # fmt: skip
def test_what_is_called_wrongly_is_told_in_a_sentence(program, words, said):
    result = program({}, words=words)
    assert (result.returncode, result.stdout, result.stderr) == (1 if words[0] == "-c" else 2, "", said)


def test_of_a_cuda_program_it_is_told_how_its_kernels_are_launched(program):
    result = program({"x.cu": "__global__ void one(int *x) { *x = 1; }"}, words=["x.cu"])
    assert (result.returncode, result.stdout) == (1, "") and "x.cu is CUDA C++" in result.stderr, result.stderr
    launch = result.stderr.partition("kasoku.")[2].strip().replace('"name"', '"one"')
    text = f"import kasoku\nx = kasoku.zeros(1, 'int32')\nkasoku.{launch}((1,), (1,), (x,))\nprint(x)"
    result = program({"x.cu": "__global__ void one(int *x) { *x = 1; }"}, words=["-c", text])
    assert result.stdout == "[1]\n", result.stderr


@pytest.mark.parametrize(
    "text, of_runpy", [("x = (", 0), ("1 / 0", 0), ("import runpy\nrunpy.run_path('no such file')", 2)]
)
def test_python_m_adds_no_frames(text, of_runpy, tmp_path):
    words = [sys.executable, "-m", "kasoku", "run", "-c", text]
    said = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=120).stderr
    assert "Error: " in said and said.count("<frozen runpy>") == of_runpy and "_run_module_as_main" not in said, said


def test_a_traceback_shows_the_users_frames_only(program):
    files = {
        "main.py": """
            import helper
            def f():
                helper.fail()
            f()
        """,
        "helper.py": """
            def fail():
                try:
                    {}["key"]
                except KeyError as error:
                    raise ValueError("wrong") from error
        """,
    }
    result = program(files)
    assert result.returncode == 1
    assert "kasoku" not in result.stderr and "importlib" not in result.stderr
    assert result.stderr.count("Traceback") == 2 and result.stderr.endswith("ValueError: wrong\n")
    assert "line 4, in f" in result.stderr


def test_a_real_error_while_a_module_is_imported_keeps_its_place(program):
    result = program({"main.py": "import helper", "helper.py": "1 / 0"})
    assert "ZeroDivisionError" in result.stderr and "helper.py" in result.stderr
    assert "redirect.py" not in result.stderr


def test_imports_of_own_files_are_redirected_and_those_of_libraries_are_not(program):
    files = {
        "main.py": """
            import importlib, importlib.util, sys
            sys.path.append("lib/site-packages")
            import own, pycuda, library
            print(pycuda.__spec__.name, own.pycuda.__spec__.name, library.found)
            print(importlib.import_module("pycuda").__spec__.name)
            print(importlib.util.find_spec("pycuda") is not None)
            exec("import pycuda; print(pycuda.__spec__.name)", {})
        """,
        "own.py": "import pycuda",
        "lib/site-packages/library.py": """
            try:
                import pycuda
                found = pycuda.__spec__.name
            except ImportError:
                found = "none"
        """,
    }
    result = program(files)
    assert result.stdout.splitlines() == [
        "kasoku.compat.pycuda kasoku.compat.pycuda none",
        "kasoku.compat.pycuda",
        "True",
        "kasoku.compat.pycuda",
    ], result.stderr


def test_a_programs_own_module_of_that_name_goes_first(program):
    result = program({"main.py": "import torch; print(torch.mine)", "torch.py": "mine = 1"})
    assert result.stdout == "1\n", result.stderr


def test_a_folder_of_that_name_is_not_a_module(program):
    result = program({"main.py": "import cupy; print(cupy.__spec__.name)", "cupy/example.py": ""})
    assert result.stdout == "kasoku.compat.cupy\n", result.stderr


def test_real_leaves_a_package_alone(program):
    result = program({"main.py": "import pycuda"}, words=("--real", "pycuda", "main.py"))
    assert "ModuleNotFoundError: No module named 'pycuda'" in result.stderr


def test_what_a_face_lacks_is_named_by_the_packages_name(program):
    text = """
        import pycuda.driver
        for text in ("import pycuda.nothing", "from pycuda import nothing",
                     "from pycuda.driver import nothing", "pycuda.driver.nothing"):
            try:
                exec(text)
            except (ImportError, AttributeError) as error:
                print(type(error).__name__, str(error).splitlines()[0])
        print(hasattr(pycuda, "nothing"))
    """
    result = program({"main.py": text})
    assert result.stdout.splitlines() == [
        "ModuleNotFoundError kasoku does not have pycuda.nothing yet",
        "ImportError kasoku does not have pycuda.nothing yet",
        "ImportError kasoku does not have pycuda.driver.nothing yet",
        "AttributeError kasoku does not have pycuda.driver.nothing yet",
        "False",
    ], result.stderr


def test_explain_says_what_was_redirected_where(program):
    result = program({"main.py": "\nimport pycuda.driver as cuda"}, words=("--explain", "main.py"))
    assert "kasoku: main.py:2: pycuda.driver is kasoku.compat.pycuda.driver" in result.stderr


def test_modules_texts_and_stdin(program):
    files = {"package/__init__.py": "", "package/__main__.py": "import sys; print(sys.argv[1:], __package__)"}
    assert program(files, "x", words=("-m", "package")).stdout == "['x'] package\n"
    assert program({}, "x", words=("-c", "import sys; print(sys.argv)")).stdout == "['-c', 'x']\n"
    assert program({}, "x", words=("-",), stdin="import sys; print(sys.argv)").stdout == "['-', 'x']\n"
    assert program({"main/__main__.py": "print(1)"}, words=("main",)).stdout == "1\n"


@pytest.mark.parametrize(
    "words, said, status",
    [
        ((), "what is to be run", 2),
        (("nothing.py",), "there is no file nothing.py", 2),
        (("--nothing", "main.py"), "no option --nothing", 2),
        (("-m", "no_such_module"), "there is no module no_such_module", 1),
    ],
)
def test_what_cannot_be_run_is_one_sentence(program, words, said, status):
    result = program({}, words=words)
    assert result.returncode == status and said in result.stderr and "Traceback" not in result.stderr


def test_an_interrupt_ends_the_program_as_python_does(tmp_path):
    path = tmp_path / "main.py"
    path.write_text("import time\nprint('go', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen([*run_words, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT and said.endswith("KeyboardInterrupt\n")


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": text} for text in cells], "nbformat": 4})


def test_a_notebook_shows_values_as_they_come(program):
    cells = ["x = 3\nx * 2", "x;", "None", "_1 + Out[1]", "%time x\n!echo shell", "s = '''\n%time\n'''\ns"]
    result = program({"n.ipynb": notebook(*cells)}, words=("n.ipynb",))
    lines = result.stdout.splitlines()
    assert lines[:2] == ["Out[1]: 6", "Out[4]: 12"], result.stderr
    assert "shell" in lines and lines[-1] == r"Out[6]: '\n%time\n'"


def test_a_failing_cell_ends_a_notebook_and_is_named(program):
    cells = ["def f():\n    return 1 / 0", "f()", "print('after')"]
    result = program({"n.ipynb": notebook(*cells)}, words=("n.ipynb",))
    assert result.returncode == 1 and "after" not in result.stdout
    assert 'cell 1/3>", line 2, in f\n    return 1 / 0' in result.stderr
    assert "kasoku/" not in result.stderr


without_ipython = {"hidden/IPython/__init__.py": "raise ImportError('hidden')"}


def test_a_notebook_has_ipythons_magics(program):
    """Where it is installed; values that magics give, help, and what a shell says are Python's."""
    pytest.importorskip("IPython")
    cells = [
        "def half(x):\n    'Half of x.'\n    return x / 2",
        "took = %timeit -o -q -n 1 -r 1 half(4)\ntook.loops",
        "half?",
        "?half",
        "lines = !echo one; echo two\nlines",
        "for name in lines:\n    !echo got {name}",
        "%%time\ny = half(6)",
        "y",
        "%load_ext kasoku\n%matplotlib inline\nimport torch\ntorch.__spec__.name",
        "len(In), In[2].split()[0], Out[2]",
    ]
    result = program({"n.ipynb": notebook(*cells)}, words=("n.ipynb",))
    assert result.returncode == 0, result.stderr
    assert "Out[2]: 1\n" in result.stdout and "Out[5]: ['one', 'two']\n" in result.stdout
    assert result.stdout.count("Half of x.") == 2 and "got one\ngot two" in result.stdout.replace("\r", "")
    assert "Wall time" in result.stdout and "Out[8]: 3.0\n" in result.stdout
    assert "Out[9]: 'kasoku.compat.torch'" in result.stdout and "Out[10]: (11, 'took', 1)" in result.stdout


@pytest.mark.parametrize("cell", ["%%time\n1 / 0", "%time 1 / 0", "%%capture\n1 / 0"])
def test_an_error_under_a_magic_ends_a_notebook(program, cell):
    pytest.importorskip("IPython")
    result = program({"n.ipynb": notebook(cell, "print('after')")}, words=("n.ipynb",))
    assert result.returncode == 1 and "after" not in result.stdout and "ZeroDivisionError" in result.stderr
    assert "kasoku/" not in result.stderr


@pytest.mark.parametrize("ipython", [True, False])
def test_a_magic_that_is_not_there_is_one_sentence(program, ipython):
    if ipython:
        pytest.importorskip("IPython")
    files = {"n.ipynb": notebook("%no_such_magic x"), **({} if ipython else without_ipython)}
    result = program(files, words=("n.ipynb",), env={} if ipython else {"PYTHONPATH": "hidden"})
    assert result.returncode == 1 and "the magic %no_such_magic works in Jupyter only" in result.stderr
    assert "Traceback" not in result.stderr


def test_without_ipython_a_notebook_has_the_common_magics(program):
    cells = ["x = 3", "%time x + 1\n!echo shell", "%%time\ny = x"]
    result = program({"n.ipynb": notebook(*cells), **without_ipython}, words=("n.ipynb",), env={"PYTHONPATH": "hidden"})
    assert result.returncode == 0 and "shell" in result.stdout and result.stdout.count("Wall time") == 2, result.stderr


def test_a_notebook_that_is_none(program):
    result = program({"n.ipynb": "{"}, words=("n.ipynb",))
    assert result.returncode == 1 and "is not a notebook" in result.stderr


def test_a_python_that_the_program_starts_sees_the_faces_too(program):
    worker = "import sys, cupy; print(cupy.__name__, int(cupy.arange(4).sum()), sys.argv[1:], __name__)"
    started = program({
        "worker.py": worker,
        "main.py": """
            import subprocess, sys
            for words in (["worker.py", "a"], ["-u", "-X", "utf8", "worker.py", "a"], ["-m", "worker", "a"], ["-c", open("worker.py").read(), "a"]):
                subprocess.run([sys.executable, *words], check=True)
            print(subprocess.run([sys.executable, "-V"], capture_output=True, text=True).stdout.split()[0])
            print(subprocess.run(["echo", "worker.py"], capture_output=True, text=True).stdout.strip())
            sys.exit(subprocess.run([sys.executable, "-c", "raise SystemExit(3)"]).returncode)
        """,
    })  # fmt: skip
    assert started.stdout.splitlines() == ["cupy 6 ['a'] __main__"] * 4 + ["Python", "worker.py"], started.stderr
    assert started.returncode == 3


def test_a_python_that_a_library_starts_is_left_as_it_is(program):
    library = "import subprocess, sys\ndef start(text): return subprocess.run([sys.executable, '-c', text], capture_output=True, text=True).stdout"
    started = program({
        "site-packages/library.py": library,
        "main.py": """
            import sys
            sys.path.insert(0, "site-packages")
            import library
            print(library.start("import sys; print('kasoku' in sys.modules)"))
        """,
    })  # fmt: skip
    assert started.stdout.split() == ["False"], started.stderr


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_child_processes_of_a_program_are_redirected_too(program, method):
    text = f"""
        import multiprocessing, tensorflow

        def name(x):
            return tensorflow.__spec__.name + str(x)

        if __name__ == "__main__":
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                print(pool.map(name, [1, 2]))
    """
    result = program({"main.py": text})
    expected = "['kasoku.compat.tensorflow1', 'kasoku.compat.tensorflow2']\n"
    assert result.stdout == expected, result.stderr


def test_ctrl_c_ends_several_processes_without_a_word_of_ours(program):
    text = """
        import os, time
        os.write(1, b"here\\n")
        time.sleep(60)
    """
    (program.folder / "main.py").write_text(textwrap.dedent(text))
    command = [*run_words, "--processes", "2", "main.py"]
    process = subprocess.Popen(
        command, cwd=program.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert [process.stdout.readline() for _ in range(2)] == ["here\n"] * 2
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 130 and "_launch.py" not in said and "subprocess.py" not in said, said
