#!/usr/bin/env python3
"""Prints what pyproject.toml wants installed for building, running and testing."""

import pathlib
import tomllib

root = pathlib.Path(__file__).resolve().parent.parent
project = tomllib.loads((root / "pyproject.toml").read_text())
wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
for extra in ("dev", "notebook"):
    wanted += project["project"]["optional-dependencies"][extra]
print(" ".join(dict.fromkeys(name.replace(" ", "") for name in wanted)))
