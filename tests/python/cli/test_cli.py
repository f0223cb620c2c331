"""The command line: every command runs, in words and as JSON, and fails with one sentence."""

import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import time

import pytest


def kasoku(*words, env=None):
    return subprocess.run(
        [sys.executable, "-m", "kasoku", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **(env or {})},
    )


def as_json(*words, env=None):
    result = kasoku(*words, "--json", env=env)
    assert result.stderr == "" and result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_help_names_every_command():
    result = kasoku("--help")
    for name in ("run", "devices", "doctor", "cache"):
        assert name in result.stdout


@pytest.mark.parametrize("words", [("run",), ("devices",), ("doctor",), ("cache",), ("cache", "list")])
def test_every_command_has_help(words):
    result = kasoku(*words, "--help")
    assert result.returncode == 0 and len(result.stdout.splitlines()) > 3


def test_devices():
    first = as_json("devices")[0]
    assert first["device"] == "cpu" and first["default"] and first["memory"]["total"] > 2**20
    assert "cpu (default)" in kasoku("devices").stdout


def test_doctor_says_that_all_works_here():
    findings = {row["topic"]: row for row in as_json("doctor")}
    assert {"kasoku", "CPU", "threads", "compiler", "cache", "CUDA", "faces"} <= set(findings)
    assert not [row for row in findings.values() if row["state"] == "bad"]
    assert "✓" in kasoku("doctor").stdout


def test_doctor_says_what_is_missing(tmp_path):
    result = kasoku("doctor", "--json", env={"KASOKU_CLANG_LIBRARY": str(tmp_path / "none.so")})
    findings = {row["topic"]: row for row in json.loads(result.stdout)}
    assert result.returncode == 1 and findings["compiler"]["state"] == "bad"
    assert "none.so" in findings["compiler"]["text"] and findings["compiler"]["fix"]


def test_an_error_is_one_sentence_without_a_traceback():
    result = kasoku("devices", env={"KASOKU_DEVICE": "tpu"})
    assert result.returncode == 1 and "tpu" in result.stderr and "Traceback" not in result.stderr


compile_one = """
import kasoku as ks
x = ks.zeros(4, dtype="int32", device="cpu")
text = 'extern "C" __global__ void seven(int *x) { x[threadIdx.x] = 7; }'
ks.RawModule(code=text).get_function("seven")((1,), (4,), (x,))
"""


def test_cache_lists_counts_and_clears(tmp_path, clean_process):
    env = {"KASOKU_CACHE_DIR": str(tmp_path / "cache")}
    assert as_json("cache", "list", env=env) == []
    clean_process(compile_one, env=env)
    entries = as_json("cache", "list", env=env)
    assert entries and any("seven" in entry["title"] for entry in entries)
    use = as_json("cache", "stats", env=env)
    assert use["folder"] == env["KASOKU_CACHE_DIR"] and use["entries"] == len(entries)
    assert use["bytes"] == sum(entry["bytes"] for entry in entries) and use["problem"] == ""
    assert "seven" in kasoku("cache", "list", env=env).stdout
    assert as_json("cache", "clear", env=env)["removed"] == len(entries)
    assert as_json("cache", "list", env=env) == []


def test_a_cache_that_cannot_be_used_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    use = as_json("cache", "stats", env={"KASOKU_CACHE_DIR": str(tmp_path / "file")})
    assert use["problem"] and use["entries"] == 0


def test_compare_takes_a_file_of_functions(tmp_path):
    file = tmp_path / "ways.py"
    file.write_text(
        "from numba import njit\nREFERENCE, SIGMA = 0.5, 0.3\n"
        "def plain(n):\n    return sum(i + 0.5 for i in range(n)) / n / n\n"
        "@njit\ndef compiled(n):\n    s = 0.0\n    for i in range(n):\n        s += i + 0.5\n    return s / n / n\n"
    )
    rows = as_json("compare", str(file), "--samples", "1e4", "--seconds", "0.05")["rows"]
    assert [row["name"] for row in rows] == ["plain", "compiled"]
    assert all(row["failure"] is None and row["error"] < 1e-9 for row in rows)


def test_check_finds_the_race_of_a_named_function(tmp_path):
    file = tmp_path / "racy.py"
    file.write_text("class Total:\n    n = 0\ndef add():\n    Total.n += 1\ndef local():\n    return 1\n")
    result = kasoku("check", "--threads", "2", f"{file}:add")
    assert result.returncode == 1 and "race on Total.n" in result.stdout
    assert kasoku("check", "--threads", "2", f"{file}:local").returncode == 0
    assert "checked nothing" in kasoku("check", str(file)).stderr


slow_ways = (
    "import time\n"
    "def quick(n):\n    time.sleep(0.1)\n    return 1.0\n"
    "def slow(n):\n    time.sleep(0.4)\n    return 1.0\n"
)


def at_a_terminal(words, until, then=lambda process: None):
    """Runs a command whose stderr is a terminal; what it shows there, and its stdout."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kasoku", *words], stdout=subprocess.PIPE, stderr=theirs, text=True,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown, end = "", time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 4096).decode(errors="replace")
            except OSError:  # closed
                break
        if until in shown:
            then(process)
            then = lambda process: None
    said = process.communicate(timeout=30)[0]
    os.close(ours)
    return shown, said, process.returncode


def test_what_takes_long_shows_a_bar_on_a_terminal_and_nowhere_else(tmp_path):
    file = tmp_path / "ways.py"
    file.write_text(slow_ways)
    words = ["compare", str(file), "--samples", "10", "--repeat", "1", "--threads", "1"]
    shown, said, status = at_a_terminal(words, until="slow")
    assert "measuring slow" in shown and "1/2" in shown and status == 0
    assert "quick" in said and "measuring" not in said
    result = kasoku(*words)
    assert result.returncode == 0 and result.stderr == ""


def test_ctrl_c_while_comparing_shows_what_was_measured(tmp_path):
    file = tmp_path / "ways.py"
    file.write_text(slow_ways.replace("0.4", "40"))
    words = ["compare", str(file), "--samples", "10", "--repeat", "1", "--threads", "1"]
    interrupt = lambda process: process.send_signal(signal.SIGINT)
    shown, said, status = at_a_terminal(words, until="measuring slow", then=interrupt)
    assert "quick" in said and "slow" not in said and "interrupted after 1 of 2" in shown and status == 1
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    "name, hidden, said",
    [
        ("talk.png", True, "matplotlib"),
        ("no/such/folder/talk.png", False, "no/such/folder"),
        ("talk.doc", False, ".png, .svg or .pdf"),
    ],
)
def test_a_plot_that_cannot_be_drawn_is_said_before_anything_is_measured(tmp_path, name, hidden, said):
    file = tmp_path / "ways.py"
    file.write_text(f"def way(n):\n    open({str(tmp_path / 'called')!r}, 'w')\n    return 1.0\n")
    site = tmp_path / "site"
    site.mkdir()
    if hidden:  # as on a machine without it
        (site / "sitecustomize.py").write_text(
            "import importlib.util as util\nfind = util.find_spec\n"
            "util.find_spec = lambda name, *rest: None if name == 'matplotlib' else find(name, *rest)\n"
        )
    result = kasoku("compare", str(file), "--plot", str(tmp_path / name), env={"PYTHONPATH": str(site)})
    assert result.returncode == 1 and said in result.stderr and "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 2 and not (tmp_path / "called").exists()


def completed(line):
    """What bash is offered for a line."""
    words = line.split(" ")
    environment = {"_KASOKU_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return kasoku(env=environment).stdout.split()


def test_completion_knows_commands_and_their_options():
    assert {"run", "check", "compare", "doctor"} <= set(completed("kasoku "))
    assert completed("kasoku doc") == ["doctor"]
    assert "--samples" in completed("kasoku compare --s") and "clear" in completed("kasoku cache ")
    from kasoku.run import flags, takes_value

    ours = {word for word in (*flags, *takes_value) if word.startswith("--")}
    assert set(completed("kasoku run --")) == ours and completed("kasoku run prog") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_a_shell_and_works_in_it(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    bin_ = pathlib.Path(sys.executable).parent
    env = {**os.environ, "HOME": str(tmp_path), "PATH": f"{bin_}:{os.environ['PATH']}", "XDG_CONFIG_HOME": ""}
    # A second command keeps the shell from becoming the first: it is found as the parent of kasoku.
    install = subprocess.run(
        [shell, "-c", "kasoku --install-completion; true"], env=env, capture_output=True, text=True
    )
    assert f"{shell} completion installed" in install.stdout, install.stdout + install.stderr
    ask = {
        "bash": "source ~/.bashrc; COMP_WORDS=(kasoku doc); COMP_CWORD=1; "
        "$(complete -p kasoku | sed 's/.*-F \\([^ ]*\\).*/\\1/') kasoku; echo ${COMPREPLY[@]}",
        "zsh": "autoload -Uz compinit; compinit -u -D; source ~/.zfunc/_kasoku; "
        "_arguments() { echo $*; }; _describe() { echo $*; }; words=(kasoku doc); CURRENT=2; _kasoku_completion",
        "fish": "complete -C 'kasoku doc'",
    }[shell]
    found = subprocess.run([shell, "-c", ask], env=env, capture_output=True, text=True, timeout=60)
    assert "doctor" in found.stdout, found.stdout + found.stderr


@pytest.mark.parametrize("command", ["check", "compare"])
@pytest.mark.parametrize(
    "name, text, said",
    [
        ("open.py", "x = (\n", "SyntaxError: '(' was never closed"),
        ("fails.py", "1 / 0\n", "ZeroDivisionError: division by zero"),
        ("kernels.cu", "__global__ void k() {}\n", "  fix  name a file that ends in .py"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_few_lines(tmp_path, command, name, text, said):
    file = tmp_path / name
    file.write_text(text)
    result = kasoku(command, str(file))
    lines = result.stderr.splitlines()
    assert result.returncode == 1 and lines[-1] == said.format(file) and len(lines) <= 5, result.stderr
    assert "typer" not in result.stderr


@pytest.mark.parametrize("command", ["run", "check", "compare"])
@pytest.mark.parametrize("name, said", [("folder", " is a folder"), ("nothing.py", "there is no file ")])
def test_without_a_file_every_command_ends_with_2_as_python_does(tmp_path, command, name, said):
    (tmp_path / "folder").mkdir()
    result = kasoku(command, str(tmp_path / name))
    assert result.returncode == 2 and said in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr


@pytest.mark.parametrize("words", [(), ("check",), ("cache",), ("cache", "list")])
def test_help_shows_no_type_beside_a_flag(words):
    shown = kasoku(*words, "--help").stdout
    assert "--help" in shown and "bool" not in shown.lower()


def test_what_fails_in_a_checked_function_is_shown_with_the_users_frames(tmp_path):
    file = tmp_path / "fails.py"
    file.write_text("number = 1\ndef f():\n    return 1 / 0\n")
    result = kasoku("check", f"{file}:f")
    assert result.returncode == 1 and result.stderr.count("  File ") == 1 and "in f" in result.stderr, result.stderr
    result = kasoku("check", f"{file}:number")
    assert result.returncode == 1 and result.stderr == f"kasoku: number in {file} is int 1, and functions are checked\n"
