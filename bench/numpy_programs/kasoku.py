import pathlib
import subprocess
import sys

text = (
    pathlib.Path(__file__).with_name("_programs.py").read_text()
)  # a text has no folder, in which numpy.py would be NumPy
text = text.replace("__file__", repr(__file__)) + "\ntiming.report(figures(__import__('sys').argv[1:]))\n"
command = [sys.executable, "-m", "kasoku", "run", "--numpy", "-c", text, *sys.argv[1:]]
raise SystemExit(subprocess.run(command, stderr=subprocess.DEVNULL, cwd="/").returncode)
