# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx's settings for the documentation site."""

from pathlib import Path

import weft_lab

project = "weft"
author = "the weft developers"
release = weft_lab.__version__
html_title = f"weft {release}"
extensions = ["myst_parser", "weft_lab.site.extension"]
myst_enable_extensions = ["attrs_block", "fieldlist"]
myst_heading_anchors = 4  # as code hosts make them
root_doc = "index"
source_suffix = {".md": "markdown"}
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme = "furo"
html_static_path = ["static"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_css_files = ["weft.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # a page opened from a folder may not read other files
html_last_updated_fmt = None
smartquotes = False
