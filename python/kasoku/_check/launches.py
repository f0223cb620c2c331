"""`kasoku run --check`: each launch of a kernel and each call of a compiled function with parallel loops is
checked, on copies of its arguments, before the program's own runs."""

import functools
import sys
import threading

from .. import _core
from .dispatch import _MADE_OF_EXPRESSIONS, check

_inside = threading.local()  # checks launch kernels themselves
_lock = threading.Lock()


class Log:
    """The findings, each once, and what could not be checked, with the reason."""

    def __init__(self):
        self.count, self.findings, self.unchecked = 0, {}, {}

    def add(self, name, findings, why_not=""):
        with _lock:
            self.count += not why_not
            for finding in findings:
                self.findings.setdefault(name, {})[str(finding)] = finding
            if why_not:
                self.unchecked.setdefault(name, why_not.splitlines()[0])

    def look(self, f, *args, name=None, **options):
        """Checks f(*args); a call that is wrong in itself says so when the program makes it."""
        if getattr(_inside, "checks", False):
            return
        name = name or getattr(f, "__name__", None) or getattr(f, "name", None) or type(f).__name__
        _inside.checks = True
        try:
            self.add(name, check(f, *args, **options))
        except Exception as error:
            self.add(name, (), str(error) or type(error).__name__)
        finally:
            _inside.checks = False

    def __str__(self):
        found = sum(map(len, self.findings.values()))
        lines = [f"kasoku check: {self.count} launches and loops checked, {found} finding{'s' * (found != 1)}"]
        for name, findings in self.findings.items():
            lines += [f"  {name}", *(f"    {sentence}" for sentence in findings)]
        lines += [f"  not checked: {name}: {why}" for name, why in self.unchecked.items()]
        return "\n".join(lines)


def watch():
    """Has everything checked that starts from here on; what it gives is filled meanwhile."""
    from ..cuda import _kernel

    log = Log()

    def of_text(kernel, findings, why_not):
        if not getattr(_inside, "checks", False):
            log.add(kernel, findings, why_not)

    def of_function(function, *args, **kwargs):
        import inspect

        bound = inspect.signature(function.py_func).bind(*args, **kwargs)
        bound.apply_defaults()
        log.look(function, *bound.args)

    def checked_first(cls):
        launch = cls.__call__

        @functools.wraps(launch)
        def call(self, *args, **kwargs):
            log.look(self, *args, name=getattr(getattr(self, "kernel", None), "__name__", None), **kwargs)
            return launch(self, *args, **kwargs)

        cls.__call__ = call

    _core._check_launches(of_text)
    _core._jit_observe(of_function)
    for cls in (*_MADE_OF_EXPRESSIONS, _kernel._Launch):
        checked_first(cls)
    return log


def run(program):
    """Runs program() watched, shows what was found, and ends with the program's status, or 1 if that is 0."""
    log, status = watch(), 0
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
