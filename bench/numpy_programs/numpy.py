import pathlib
import runpy
import sys

text = pathlib.Path(__file__).with_name("_programs.py")
timing = __import__("timing")
timing.report(runpy.run_path(str(text))["figures"](sys.argv[1:]))
