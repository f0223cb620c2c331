"""Docstrings are plain sentences with `code` in them; this makes them reStructuredText, and signatures short."""

import re

import sphinx.util.inspect

from kasoku import _core


def _words(text):
    """Of plain sentences: parameters (`axis=`, `keepdims=True`) become literal, functions (`ks.sort()`) links."""
    parts = re.split(r"((?<![\w.=])[A-Za-z_]\w*=(?!=)(?:\"[^\"]*\"|\w+(?:\.\w+)*)?|\bks\.[\w.]+\(\))", text)
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = re.sub(r"([*|\\]|_\b|`)", r"\\\1", part)
        elif part.startswith("ks."):
            parts[i] = f":py:func:`{part} <kasoku.{part[3:-2]}>`"
        else:
            parts[i] = f"``{part}``"
    return "".join(parts)


def _marked(line):
    """`code` becomes literal; what else reStructuredText would read as markup stays what it is."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    for i, part in enumerate(parts):
        if part.startswith("``"):
            continue
        if part.startswith("`"):
            parts[i] = f"`{part}`"
        else:
            parts[i] = _words(part)
    return "".join(parts)


def _text(app, what, name, subject, options, lines):
    made, in_code, in_list, in_example = [], False, False, False
    for line in lines:
        # What nanobind says of a property, and NamedTuple of a field.
        if re.match(r"\((self|arg: object, /)\) -> |Alias for field number \d+$", line):
            continue
        in_example = line.startswith(">>> ") or (in_example and bool(line.strip()))
        if in_example:  # what a console shows stays as it is
            in_list = in_code = False
            made.append(line)
            continue
        if not line.strip():
            made.append("")
            in_list = False
        elif re.match(r"\s{0,3}[-*] ", line):
            made += [] if in_list else [""]
            made.append("- " + _marked(line.strip()[2:]))
            in_list, in_code = True, False
        elif in_list:
            made.append("  " + _marked(line.strip()))
        elif line.startswith("    "):
            if not in_code and not (len(made) > 1 and made[-2].endswith("::")):
                made += ["::", ""]
            in_code = True
            made.append(line)
        else:
            in_code = False
            made.append(_marked(line.strip()))
    lines[:] = made


def _signature(app, what, name, subject, options, signature, result):
    def short(text):
        text = re.sub(r"\(self(: [^,)]+)?(, )?", "(", text)
        text = re.sub(r": object( \| None)?(?=[,) ]|$)", "", text)  # anything that can be converted
        text = text.replace("<object object>", "…")  # a default that says that nothing was given
        text = re.sub(r"(?<=\w) = (?=None|True|False)", "=", text) if ":" not in text else text
        return re.sub(r"\bkasoku\._core\.", "", text)

    result = None if result in (None, "object", "None") else short(result)
    return (short(signature) if signature else signature), result


def _show_methods():
    """autodoc knows methods of C++ by the names of their types, of which ours is none: it would show them as attributes."""
    is_attribute = sphinx.util.inspect.isattributedescriptor
    sphinx.util.inspect.isattributedescriptor = lambda subject: (
        not isinstance(subject, _core._Method) and is_attribute(subject)
    )


def setup(app):
    _show_methods()
    app.connect("autodoc-process-docstring", _text)
    app.connect("autodoc-process-signature", _signature)
    return {"parallel_read_safe": True}
