#!/usr/bin/env python3
"""Fails on an include that goes up the layers, and on a vendor's word outside its folder."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# Top to bottom: a folder includes from its own or from those below it.
order = ["check", "kernel jit task", "array", "linalg fft distributed", "codegen", "compile", "device", "base"]
level = {name: i for i, names in enumerate(order) for name in names.split()}
allowed_sideways = {("jit", "kernel"), ("check", "kernel")}
words = {
    r"\b(cu[A-Z]\w+|CU[a-z]+|CUDA_[A-Z_]+|nvrtc[A-Z]\w*)\b": (
        "device/cuda/",
        "compile/nvrtc",
        "compile/prelude/",
        "linalg/cu",
        "fft/cu",
    ),
    r"\b(llvm|clang)::": ("compile/clang/", "check/instrument"),
}
bad = []
for path in sorted(root.glob("kasoku/**/*.[ch]*")):
    here = path.relative_to(root / "kasoku").as_posix()
    folder = here.split("/")[0]
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        found = re.match(r'\s*#include "kasoku/(\w+)/', line)
        if found and folder in level:
            other = found[1]
            same_level = level.get(other, 99) == level[folder] and other != folder
            if level.get(other, 99) < level[folder] or (same_level and (folder, other) not in allowed_sideways):
                bad.append(f"kasoku/{here}:{number}: {folder} includes {other}, which is above it")
        if line.lstrip().startswith(("//", "*", "/*")):
            continue
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//")[0])
        for pattern, homes in words.items():
            if not here.startswith(homes) and re.search(pattern, code):
                bad.append(f"kasoku/{here}:{number}: {re.search(pattern, code)[0]} outside {', '.join(homes)}")
print("\n".join(bad) or "layers: clean")
sys.exit(bool(bad))
