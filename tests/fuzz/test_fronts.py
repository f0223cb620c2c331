"""Random programs of the other front ends (fuzz/fronts): kernels of elements, several in a row, loops, arrays."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from fuzz.fronts import FRONTS, Front, load  # noqa: E402
from fuzz.fronts.words import Wrong  # noqa: E402

REDUCED = sorted((FOLDER / "reduced").glob("*.py"))
RUNS = [
    ("elementwise", "native", 70),
    ("elementwise", "check", 16),
    ("launches", "native", 60),
    ("launches", "check", 12),
    ("loops", "native", 24),
    ("loops", "offload", 6),
    ("loops", "check", 12),
    ("arrays", "native", 100),
    ("arrays", "eager", 40),
]


@pytest.mark.parametrize("front, target, count", RUNS, ids=[f"{front}-{target}" for front, target, _ in RUNS])
def test_random_programs_are_right(front, target, count):
    command = [sys.executable, FOLDER / "run.py", "--front", front, "--target", target]
    result = subprocess.run([*command, "--seeds", f"0:{count}", "--jobs", "2"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{target}: {count} {front}, 0 wrong" in result.stdout


@pytest.mark.parametrize("path", REDUCED, ids=lambda path: path.stem)
def test_program_that_was_wrong_is_right(path):
    front, target, text = load(path)
    assert front.verdict(text, target) is None


CHANGES = {
    "elementwise": [("add(", "sub("), ("most(", "least("), ("np.add.reduce", "np.maximum.reduce")],
    "launches": [
        (" - 1 - t", " - 1 ^ t"),
        ("t >= d", "t > d"),
        ("np.minimum", "np.maximum"),
        ("// 7", "% 7"),
        (" - 10u", " - 9u"),
    ],
    "loops": [("//", "%"), ("max(", "min("), (" + ", " - ")],
    "arrays": [(" + ", " - "), ("xp.maximum", "xp.minimum"), ("[::-1]", "[:]")],
}


@pytest.mark.parametrize("name", FRONTS)
@pytest.mark.filterwarnings("ignore")
def test_a_wrong_answer_is_seen(name):
    front, seen = Front(name), 0
    for right, wrong in CHANGES[name]:
        texts = [text for seed in range(60) if right in (text := front.module.text(seed))][:4]
        for text in texts:
            try:
                if name in ("elementwise", "launches"):  # whose reference is part of the text
                    front.module.run(text.replace(right, wrong), "native")
                else:
                    front.module.run(text, "native", text.replace(right, wrong))
            except (Wrong, ValueError, ZeroDivisionError, IndexError):
                seen += 1
    assert seen >= 4


@pytest.mark.parametrize("name", FRONTS)
def test_a_seed_is_one_program_and_a_file_holds_it(name, tmp_path):
    front = Front(name)
    assert front.module.text(5) == front.module.text(5) != front.module.text(6)
    front.save(tmp_path, "native", 5, "wrong", "a remark\nof two lines")
    loaded, target, text = load(tmp_path / f"{name}-native-5.py")
    assert (loaded.name, target, text) == (name, "native", front.module.text(5))
