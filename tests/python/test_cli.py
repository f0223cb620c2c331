"""The command line: every command runs, in words and as JSON, and fails with one sentence."""

import json
import os
import subprocess
import sys

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
