"""The documentation site: guides of this folder, and a reference made from docstrings, tables and C++ headers.

`make docs` builds it into build/docs, and a warning is an error. What Sphinx does not bring along is in _extension.
"""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(root / "docs/_extension"), str(root / "python")]

import kasoku  # noqa: E402

project = "kasoku"
author = "the kasoku authors"
project_copyright = author
version = release = kasoku.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "breathe",
    "docstrings",
    "made",
]
exclude_patterns = ["_extension"]
myst_enable_extensions = ["colon_fence", "fieldlist"]
suppress_warnings = ["duplicate_declaration.cpp"]  # the namespace stands in every header
myst_heading_anchors = 3

breathe_show_include = False
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
add_module_names = False
python_maximum_signature_line_length = 110

html_theme = "furo"
html_title = f"kasoku {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7ab8f5", "color-brand-content": "#7ab8f5"},
}
copybutton_exclude = ".linenos, .gp, .go"
pygments_style = "friendly"
pygments_dark_style = "monokai"
