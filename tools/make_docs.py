#!/usr/bin/env python3
"""Writes the documentation as HTML pages into a folder: the guides of docs/, and a reference
made from docstrings and tables, so that nothing is written twice."""

import html
import inspect
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
style = """body{font:16px/1.55 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222}
pre,code{font:14px/1.45 ui-monospace,monospace;background:#f5f5f3}pre{padding:.8rem;overflow-x:auto}
table{border-collapse:collapse}td,th{border-bottom:1px solid #ddd;padding:.25rem .8rem .25rem 0;text-align:left;vertical-align:top}
h1,h2,h3{line-height:1.2}a{color:#0b5cad;text-decoration:none}nav{margin-bottom:2rem}"""


# ── Markdown, as much of it as our pages use ──────────────────────────────────────────────


def inline(text):
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if part.startswith("`") and len(part) > 2:
            parts[i] = f"<code>{html.escape(part[1:-1])}</code>"
            continue
        part = html.escape(part, quote=False)
        part = re.sub(r"!\[([^]]*)\]\(([^)]+)\)", r'<img alt="\1" src="\2">', part)
        part = re.sub(
            r"\[([^]]+)\]\(([^)]+)\)",
            lambda m: f'<a href="{re.sub(r".md(?=#|$)", ".html", m[2])}">{m[1]}</a>',
            part,
        )
        parts[i] = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", part)
    return "".join(parts)


def to_html(text):
    out, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith("```")), len(lines))
            out.append(f"<pre>{html.escape(chr(10).join(lines[i + 1 : end]))}</pre>")
            i = end + 1
        elif match := re.match(r"(#+) (.*)", line):
            name = re.sub(r"\W+", "-", match[2].lower()).strip("-")
            out.append(f'<h{len(match[1])} id="{name}">{inline(match[2])}</h{len(match[1])}>')
            i += 1
        elif line.startswith("|"):
            rows = []
            while i < len(lines) and lines[i].startswith("|"):
                rows.append([c.strip() for c in lines[i].strip().strip("|").split("|")])
                i += 1
            rows = [r for r in rows if not all(re.fullmatch(r":?-+:?", c) for c in r)]
            tags = ["th"] + ["td"] * (len(rows) - 1)
            body = (
                "<tr>" + "".join(f"<{tag}>{inline(c)}</{tag}>" for c in row) + "</tr>" for tag, row in zip(tags, rows)
            )
            out.append("<table>" + "".join(body) + "</table>")
        elif re.match(r"[-*] ", line):
            items = []
            while i < len(lines) and (re.match(r"[-*] ", lines[i]) or lines[i].startswith("  ")):
                if re.match(r"[-*] ", lines[i]):
                    items.append(lines[i][2:])
                else:
                    items[-1] += " " + lines[i].strip()
                i += 1
            out.append("<ul>" + "".join(f"<li>{inline(x)}</li>" for x in items) + "</ul>")
        elif line.strip():
            paragraph = []
            while i < len(lines) and lines[i].strip() and not re.match(r"(```|#|\||[-*] )", lines[i]):
                paragraph.append(lines[i])
                i += 1
            if not paragraph:
                paragraph, i = [line], i + 1
            out.append(f"<p>{inline(' '.join(paragraph))}</p>")
        else:
            i += 1
    return "\n".join(out)


def page(title, body):
    return (
        f'<!doctype html><meta charset="utf-8"><title>{html.escape(title)}</title><style>{style}</style>'
        f'<nav><a href="index.html">kasoku</a></nav>{body}'
    )


# ── the reference ─────────────────────────────────────────────────────────────────────────


def signature(name, value):
    try:
        return f"{name}{inspect.signature(value)}"
    except (TypeError, ValueError):
        return name + ("()" if callable(value) else "")


def doc_of(value):
    return inspect.cleandoc(getattr(value, "__doc__", "") or "")


def describe(name, value, level=3):
    lines = [f"{'#' * level} {name}", ""]
    doc = doc_of(value)
    if not re.match(rf"{re.escape(name.rpartition('.')[2])}\(", doc) and not inspect.ismodule(value):
        lines += [f"```\n{signature(name, value)}\n```", ""]
    lines += ["```", doc, "```", ""] if doc else ["(no text yet)", ""]
    return lines


def reference():
    import kasoku as ks

    lines = ["# Reference", "", "Every public name of `kasoku`, from its own docstring.", ""]
    classes, functions, modules = [], [], []
    for name in dir(ks):
        if name.startswith("_"):
            continue
        value = getattr(ks, name)
        kind = classes if inspect.isclass(value) else modules if inspect.ismodule(value) else functions
        kind.append((name, value))
    for title, group in (("Functions", functions), ("Classes", classes), ("Modules", modules)):
        lines += [f"## {title}", ""]
        for name, value in group:
            lines += describe(f"ks.{name}", value)
            members = vars(value) if inspect.isclass(value) else {}
            if inspect.ismodule(value):
                members = {n: getattr(value, n) for n in dir(value)}
            rows = []
            for member, inner in sorted(members.items()):
                text = doc_of(inner)
                if not member.startswith("_") and text and not inspect.ismodule(inner):
                    rows.append(f"| `{member}` | {' '.join(text.split(chr(10) * 2)[0].split())[:300]} |")
            if rows:
                lines += ["| member | |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def tables():
    from kasoku import _core

    lines = ["# Environment variables", "", "| variable | default | meaning |", "|---|---|---|"]
    lines += [f"| `{n}` | `{d}` | {m} |" for n, _, d, m in _core._variables()]
    operations = root / "kasoku/codegen/ops.def"
    lines += ["", "# Elementwise operations", "", "| operation | operands | result | |", "|---|---|---|---|"]
    for row in re.finditer(r'^OP\((\w+),\s*(\d),\s*(\w+),.*?"([^"]*)"\)\s*$', operations.read_text(), re.M):
        lines.append(f"| `{row[1].rstrip('_')}` | {row[2]} | {row[3]} | {row[4]} |")
    lines += ["", "# The command line", ""]
    for words in ([], ["run"], ["devices"], ["doctor"], ["cache"]):
        shown = subprocess.run(
            [sys.executable, "-m", "kasoku", *words, "--help"], capture_output=True, text=True,
            env={"COLUMNS": "90", "PATH": "/usr/bin:/bin", "TERM": "dumb"}, check=True,
        )  # fmt: skip
        lines += ["```", f"$ kasoku {' '.join([*words, '--help'])}", shown.stdout.strip("\n"), "```", ""]
    return "\n".join(lines)


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    pages = {"readme": (root / "README.md").read_text().replace("(docs/", "(")}
    for path in sorted((root / "docs").rglob("*.md")):
        pages[path.relative_to(root / "docs").as_posix().removesuffix(".md")] = path.read_text()
    for path in (root / "docs").glob("*.svg"):
        (out / path.name).write_bytes(path.read_bytes())
    pages["reference"], pages["tables"] = reference(), tables()
    links = []
    for name, text in pages.items():
        title = re.match(r"# (.*)", text)
        title = title[1] if title else name
        links.append(f"- [{title}]({name}.md)")
        target = out / f"{name}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(title, to_html(text)))
    (out / "index.html").write_text(page("kasoku", to_html("# kasoku\n\n" + "\n".join(links))))
    print(f"{len(pages) + 1} pages in {out}/index.html")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build/docs")
