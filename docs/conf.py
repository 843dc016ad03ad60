"""How is the site built? `make docs`: Sphinx with MyST and furo, without anything from the network."""

import importlib.metadata
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

project = "milbox"
author = "The milbox maintainers"
release = importlib.metadata.version("milbox")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"milbox {release}"
html_static_path = ["_static"]
html_extra_path = ["../src/milbox/cli/problem/problem.schema.json"]
html_css_files = ["milbox.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_show_copyright = False

# Docstrings are plain text with `code` in backquotes.
default_role = "code"
napoleon_use_ivar = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
maximum_signature_line_length = 110
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
toc_object_entries = False


def written_as_mathml(translator: Any, node: nodes.Element) -> None:
    """Formulas as MathML, which browsers show by themselves: no script, no network."""
    block = isinstance(node, nodes.math_block)
    translator.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def plain_bars(_app: Any, _kind: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """In docstrings |a - b| is an absolute value and no substitution."""
    lines[:] = [line.replace("|", "\\|") if "`" not in line else line for line in lines]


def one_constraint(
    _app: Any, _kind: str, _name: str, _thing: Any, _options: Any, signature: str, returned: str
) -> tuple[str, str]:
    """The union of all kinds of constraints by its one name."""
    return signature, "Constraint" if returned and "AllDifferent |" in returned else returned


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    app.add_html_math_renderer("mathml", (written_as_mathml, None), (written_as_mathml, None))
    app.connect("autodoc-process-docstring", plain_bars)
    app.connect("autodoc-process-signature", one_constraint)
