"""The Python of a guide as one program, from top to bottom, as a user would type it."""

import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
guides = [root / "README.md", *sorted(p for p in (root / "docs").rglob("*.md") if p.parent.name != "reference")]
fence = re.compile(r"^```python\n(.*?)^```", re.M | re.S)  # ```py is shown and not run


def program_of(guide):
    """The program; "" if there is none. Blank lines keep the guide's own line numbers in a traceback."""
    text, program = guide.read_text(), ""
    for block in fence.finditer(text):
        line = text[: block.start()].count("\n") + 1
        program += "\n" * (line - program.count("\n")) + block[1]
    return program
