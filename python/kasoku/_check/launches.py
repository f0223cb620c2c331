"""Each launch of a kernel and each call of a compiled function with parallel loops is checked, on copies of
its arguments, before the program's own runs: in `kasoku run --check`, and in the functions that check() runs."""

import contextlib
import functools
import inspect
import sys
import threading

from .. import _core, errors
from ..cuda import _kernel
from .compiled import MADE_OF_EXPRESSIONS, check_compiled

_inside = threading.local()  # checks launch kernels themselves
_lock = threading.Lock()


class Ended:
    """A context that a program leaves where a launch would leave its arrays, which might end the process; a finding tells it."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return is_finding(error)


def is_finding(error):
    """Whether it was raised in place of such a launch."""
    return getattr(error, "is_finding", False)


class Log:
    """The findings, each once, and what could not be checked, with the reason."""

    def __init__(self):
        self.count, self.findings, self.unchecked = 0, {}, {}

    def add(self, name, findings, why_not=""):
        self.count += not why_not
        for finding in findings:
            self.findings.setdefault(name, {})[str(finding)] = finding
        if why_not:
            self.unchecked.setdefault(name, why_not.splitlines()[0])

    def all_findings(self):
        return [finding for of_one in self.findings.values() for finding in of_one.values()]

    def __str__(self):
        found = len(self.all_findings())
        lines = [f"kasoku check: {self.count} launches and loops checked, {found} finding{'s' * (found != 1)}"]
        for name, findings in self.findings.items():
            lines += [f"  {name}", *(f"    {sentence}" for sentence in findings)]
        lines += [f"  not checked: {name}: {why}" for name, why in self.unchecked.items()]
        return "\n".join(lines)


_logs = []  # of all who watch now


@contextlib.contextmanager
def watched():
    """Has everything checked that starts inside; what it gives is filled meanwhile."""
    log = Log()
    with _lock:
        _logs.append(log)
        if len(_logs) == 1:
            _begin()
    try:
        yield log
    finally:
        with _lock:
            _logs.remove(log)
            if not _logs:
                _end()


def _look(f, args, kwargs=None, name=None):
    """Checks f(*args, **kwargs); a call that is wrong in itself says so when the program makes it."""
    if getattr(_inside, "checks", False):
        return
    name = name or getattr(f, "__name__", None) or getattr(f, "name", None) or type(f).__name__
    _inside.checks = True
    findings, why_not = (), ""
    try:
        findings = check_compiled(f, args, kwargs or {})
    except Exception as error:
        why_not = str(error) or type(error).__name__
    finally:
        _inside.checks = False
    _tell(name, findings, why_not)


def _tell(name, findings, why_not):
    if getattr(_inside, "checks", False):
        return
    with _lock:
        for log in _logs:
            log.add(name, findings, why_not)
    for finding in findings:
        if finding.kind == "bounds":
            error = errors.IndexError(f"{name}: {finding.text}\n  at   {finding.file}:{finding.line}")
            error.is_finding = True
            raise error


def _of_function(function, *args, **kwargs):
    bound = inspect.signature(function.py_func).bind(*args, **kwargs)
    bound.apply_defaults()
    _look(function, bound.args)


def _looked_at(launch):
    @functools.wraps(launch)
    def call(self, *args, **kwargs):
        _look(self, args, kwargs, getattr(getattr(self, "kernel", None), "__name__", None))
        return launch(self, *args, **kwargs)

    return call


_compute = _core._compute


def _computed(*args):
    """A graph runs on threads of the engine: what its tasks do in Python is seen where check is given the graph itself."""
    _tell("tasks of a graph", (), "give check the Delayed value")
    return _compute(*args)


_core._report_launches(_tell)
_CALLS = {cls: cls.__call__ for cls in (*MADE_OF_EXPRESSIONS, _kernel._Launch)}


def _begin():
    _core._check_launches(True)
    _core._jit_observe(_of_function)
    _core._compute = _computed
    for cls, launch in _CALLS.items():
        cls.__call__ = _looked_at(launch)


def _end():
    _core._check_launches(False)
    _core._jit_observe(None)
    _core._compute = _compute
    for cls, launch in _CALLS.items():
        cls.__call__ = launch


def run(program):
    """Runs program() watched, shows what was found, and ends with the program's status, or 1 if that is 0."""
    status = 0
    with watched() as log:
        try:
            program()
        except SystemExit as ended:
            status = ended.code
        except Exception:
            sys.excepthook(*sys.exc_info())
            status = 1
        finally:
            for thread in threading.enumerate():
                if thread is not threading.current_thread() and not thread.daemon:
                    thread.join()
            sys.stdout.flush()
            print(log, file=sys.stderr)
    raise SystemExit(status or int(bool(log.findings)))
