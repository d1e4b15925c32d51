"""What the pages need beyond Sphinx's extensions: links to headers become links to the reference, links to folders and programs
become names, code without a language gets one."""
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.c import CDomain
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/manual/reference"


def reference_page(path):
    """The page of the reference that shows a header, None if there is none."""
    name = re.sub(r"^(?:core|kit)/include/|^apps/common/", "", path)
    for page in PAGES.glob("*.md"):
        if re.search(r"^\.\. doxygenfile:: " + re.escape(name) + "$", page.read_text(), flags=re.M):
            return f"docs/manual/reference/{page.stem}"
    return None


class Links(SphinxTransform):
    """The pages link to files of the repository, as readers of a code host expect."""

    default_priority = 5

    def apply(self, **kwargs):
        here = (ROOT / self.env.docname).parent
        for node in list(self.document.findall(addnodes.pending_xref)) + list(self.document.findall(addnodes.download_reference)):
            target = node["reftarget"].split("#")[0]
            path = (here / target).resolve()
            if node.get("reftype") not in ("myst", None) or not target or "://" in target or not path.exists():
                continue
            if path.is_dir():
                path = path / "README.md" if (path / "README.md").is_file() else path
            name = str(path.relative_to(ROOT))
            page = reference_page(name) if path.suffix == ".h" else None
            if path.suffix == ".md" and "#" not in node["reftarget"]:
                page = name[:-3]
            if page:
                link = addnodes.pending_xref("", *node.children, refdomain="std", reftype="doc", reftarget="/" + page, refexplicit=True,
                                             refwarn=True, refdoc=self.env.docname)
                node.replace_self(link)
            elif path.is_dir():
                node.replace_self(nodes.literal("", node.astext()))


class Names(CDomain):
    """The search does not offer parameters of functions, and enumerations without a name."""

    def get_objects(self):
        return (one for one in super().get_objects() if one[2] != "functionParam" and not re.fullmatch(r"@\w+", one[0]))


class Prose(SphinxTransform):
    """Names of functions in the text become links to the reference, where they have an entry."""

    default_priority = 6

    def apply(self, **kwargs):
        for node in list(self.document.findall(nodes.literal)):
            if re.fullmatch(r"(?:mx|MX|app)_\w+", node.astext()) and isinstance(node.parent, (nodes.paragraph, nodes.entry)):
                link = addnodes.pending_xref("", refdomain="c", reftype="macro", reftarget=node.astext(), refdoc=self.env.docname)
                node.replace_self(link)
                link += node


def language_of(text):
    if re.search(r"\b(?:mx|MX|app)_\w+|^\s*#(?:include|define) |^typedef ", text, flags=re.M):
        return "c"
    if re.search(r"^(?:import|from|def|@minx|with|for) ?.*$", text, flags=re.M):
        return "python"
    if re.search(r"^(?:scripts/|build/bin/|cmake |export |pip |mpirun |\w+=\S+ )", text, flags=re.M):
        return "bash"
    return "none"


class Languages(SphinxTransform):
    """Blocks that are only indented have no language."""

    default_priority = 5

    def apply(self, **kwargs):
        for block in self.document.findall(nodes.literal_block):
            if block.get("language", "none") == "none":
                block["language"], block["force"] = language_of(block.astext()), True


def docstring(app, what, name, thing, options, lines):
    """Docstrings are plain text: an indented block is code, and so is a name with an underscore at its end."""
    out = []
    for at, line in enumerate(lines):
        if line[:1].strip() and not line.startswith(">>>"):
            line = re.sub(r"(?<![`\w])((?:mx|MX)_\w+_)(?![`\w])", r"``\1``\\ ", line)
            if lines[at + 1 : at + 2] == [""] and "".join(lines[at + 2 : at + 3]).startswith("    "):
                line += ":" if line.endswith(":") else "\n\n::"
        out += line.split("\n")
    lines[:] = out


class Tables(SphinxPostTransform):
    """A table that is wider than the page scrolls; a head without text is left out."""

    default_priority = 5

    def run(self, **kwargs):
        for table in list(self.document.findall(nodes.table)):
            box = nodes.container("", classes=["table-scroll"])
            table.replace_self(box)
            box += table
            for head in list(table.findall(nodes.thead)):
                if not head.astext().strip():
                    head.parent.remove(head)


def names_of_page(app, page, template, context, doctree):
    """The names that a page of the reference explains, for the list beside it."""
    if page.startswith("docs/manual/reference/"):
        objects = [one for name in ("c", "py") for one in app.env.get_domain(name).get_objects()]
        context["names_here"] = [(name.split(".")[-1] if "@" in name else name, anchor) for name, _, kind, where, anchor, _ in objects
                                 if where == page and kind not in ("module", "member") and "." not in name.replace("minx.", "", 1).lstrip("@")[4:]]


def setup(app):
    app.add_transform(Links)
    app.add_transform(Languages)
    app.add_transform(Prose)
    app.add_domain(Names, override=True)
    app.add_post_transform(Tables)
    app.connect("html-page-context", names_of_page)
    app.connect("autodoc-process-docstring", docstring)
