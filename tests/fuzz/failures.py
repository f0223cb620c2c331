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
    names = [name for name, may_go, _ in _core.passes() if may_go]
    fails_without = lambda off: worker.one(kernel, want, ",".join(f"-{name}" for name in off)) is not None
    if fails_without(names):
        verdict = "wrong also without all passes that may be left out"
    elif single := [name for name in names if not fails_without([name])]:
        verdict = f"right without any one of: {', '.join(single)}"
    else:
        for name in list(names):
            if not fails_without(rest := [other for other in names if other != name]):
                names = rest
        verdict = f"right without all of: {', '.join(names)}"
    worker.stop()
    print(f"{path}: {verdict}", flush=True)
    return 0
