"""Sphinx's configuration of the manual: `scripts/docs.sh` builds it. The pages are those of the repository; nothing is copied."""
import gc
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "python")]
sys.dont_write_bytecode = True

gc.disable()  # the build is short, and loads many trees of small objects

project = "minx"
version = release = re.search(r"project\(\s*minx\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
copyright = "the authors of minx"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "manual"]
root_doc = "docs/manual/index"
FOLDERS = ("apps", "core", "kit", "examples", "inputs", "packaging", "python", "scripts", "tests", "tools")
include_patterns = ["*.md", "docs/**.md", "tutorial/**.md", *(f"{name}/**README.md" for name in FOLDERS)]
exclude_patterns = ["build*", ".*", "shared"]
suppress_warnings = ["myst.header"]  # a page on a code host may begin with a small heading

myst_heading_anchors = 4

breathe_projects = {"minx": os.environ["MINX_DOXYGEN_XML"]}
breathe_default_project = "minx"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_show_define_initializer = False
breathe_show_enumvalue_initializer = False
primary_domain = "c"
highlight_language = "none"
smartquotes = False  # of --option it would make one dash

autodoc_member_order = "groupwise"
autodoc_typehints = "none"

html_theme = "theme"
html_theme_path = ["."]
html_title = html_short_title = f"minx {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # browsers do not let a page on disk read other pages
html_show_copyright = html_show_sphinx = False


