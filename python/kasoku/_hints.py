"""What errors say of a name that is not known."""

from . import errors


def did_you_mean(name, known, before=""):
    """The end of an error about a name that is not known; nothing where no other is near. `before` is how all of them begin."""
    import difflib  # which takes longer to load than what asks here

    near = difflib.get_close_matches(name.removeprefix(before), [other.removeprefix(before) for other in known], 1)
    return f"; did you mean {before + near[0]!r}?" if near else ""


def warn_of_variables(given, known):
    """Warns of variables of the environment that are named as ours are, and are not."""
    for name in given:
        hint = did_you_mean(name, known, "KASOKU_") or "; `kasoku doctor` and the reference know those that there are"
        errors._warn(UserWarning, f"kasoku has no environment variable {name}, so it changes nothing{hint}")


def check_words(given, known, what):
    """Raises TypeError, in Python's own sentence, for a keyword argument that the function `what` does not have."""
    for name in given:
        if name not in known:
            raise TypeError(f"{what}() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}")


def check_options(given, known, what):
    """Raises TypeError for an option, of those given to the decorator `what`, that is not among the known ones."""
    for name in given:
        if name not in known:
            raise errors.TypeError(
                f"Unrecognized options: {name} ({what} knows {', '.join(sorted(known))}){did_you_mean(name, known)}"
            )
