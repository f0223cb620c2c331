#!/usr/bin/env python3
"""Prints what pyproject.toml wants installed for building, running and testing, and for the extras that are named."""

import pathlib
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
project = tomllib.loads((root / "pyproject.toml").read_text())
wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
for extra in ("dev", "notebook", *sys.argv[1:]):
    wanted += project["project"]["optional-dependencies"][extra]
print(" ".join(dict.fromkeys(name.replace(" ", "") for name in wanted)))
