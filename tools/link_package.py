#!/usr/bin/env python3
"""Makes this tree's package importable in the interpreter that runs this, with its
console script: what an editable install does, without a build step in between."""

import pathlib
import sys
import sysconfig

root = pathlib.Path(__file__).resolve().parent.parent
site = pathlib.Path(sysconfig.get_path("purelib"))
script = pathlib.Path(sysconfig.get_path("scripts")) / "kasoku"


def write(path, text, mode=0o644):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(mode)


write(site / "kasoku.pth", f"{root / 'python'}\n")
write(
    script,
    f"#!{sys.executable}\nimport sys\nfrom kasoku.cli import main\n\nsys.exit(main())\n",
    0o755,
)
