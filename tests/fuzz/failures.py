"""What is done with one kernel that fails: running it again, making it small, finding the pass that is to blame."""

import re

from fuzz import files, oracle, shrink
from fuzz.worker import Worker


def failing(path, options):
    """The kernel of a file, what it must leave, a worker and the kernel's failure there; None if it is right."""
    kernel, _ = files.load(path)
    target = options.target or target_in(path)
    worker, want = Worker(target, min(options.limit, 10)), oracle.expected([kernel])[0]
    failure = ("defect", str(want)) if isinstance(want, oracle.Defect) else worker.one(kernel, want)
    print(f"{path} on {target}: {': '.join(failure) if failure else 'right'}", flush=True)
    return kernel, want, worker, failure


def target_in(path):
    """What the file says that it fails on."""
    found = re.match(r"// ([\w-]+): (wrong|fault|hang|refused|finding)", path.read_text())
    return found[1] if found else "native"


def repeat(path, options):
    *_, worker, failure = failing(path, options)
    worker.stop()
    return int(failure is not None)


def shrink_file(path, options):
    """Makes a small file beside it."""
    kernel, _, worker, failure = failing(path, options)
    if failure is None or failure[0] == "defect":
        return 1
    verdicts = lambda some, wants: [worker.one(kernel, want) for kernel, want in zip(some, wants)]
    small = shrink.shrunk(kernel, failure, verdicts, lambda text: print(f"{path}: {text}", flush=True))
    want = oracle.expected([small])[0]
    small_path = path.with_name(f"{path.stem}-small.cu")
    files.save(small_path, small, want, f"{worker.target}: {': '.join(worker.one(small, want) or failure)}")
    worker.stop()
    print(f"{small_path}:\n{small_path.read_text()}")
    return 0


def blame(path, options):
    """Prints the passes without which the kernel is right."""
    from kasoku import _core

    kernel, want, worker, failure = failing(path, options)
    if failure is None or failure[0] == "defect":
        return 1
    worker.stop()

    def is_right_without(names):
        other = Worker(worker.target, worker.limit, ",".join(f"-{name}" for name in names))
        verdict = other.one(kernel, want)
        other.stop()
        return verdict is None

    names = [name for name, may_go, _ in _core.passes() if may_go]
    if is_right_without(names):
        verdict = f"right without {', '.join(fewest(names, is_right_without))}"
    else:
        verdict = "not right either without all passes that may be left out"
    print(f"{path}: {verdict}", flush=True)
    return 0


def fewest(names, holds):
    """A smallest part of a list for which something holds that holds for the list: by halves, then one by one."""
    half = len(names) // 2
    for part in (names[:half], names[half:]):
        if 0 < len(part) < len(names) and holds(part):
            return fewest(part, holds)
    for name in names:
        if len(names) > 1 and holds(rest := [other for other in names if other != name]):
            return fewest(rest, holds)
    return names
