"""Markdown → HTML that is safe to show: no HTML of the note's own, nothing loaded from elsewhere.

Every source line can be linked to: `#L12` is an anchor in the page, and blocks carry the lines
they come from, so that a range can be highlighted.

A note can be made so that reading it as Markdown takes minutes (thousands of open brackets). So the
steps are counted: when there are too many, the rest is shown as it is written.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.parser_inline import ParserInline
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from memdown.notes.document import read_front_matter
from memdown.text import match_spans
from memdown.web.typesetting import coloured, formula

Known = Callable[[str], bool]
# The path of the note that a name such as "Jonas Weber" means, if there is one.
Named = Callable[[str], str | None]


def no_names(name: str) -> str | None:  # noqa: ARG001
    """For texts in which names are no links to notes."""
    return None


# Two characters for private use stand for the ends of a match until the HTML is made.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MARKS = str.maketrans({_OPEN: None, _CLOSE: None})
_ADDRESS = re.compile(r"\]\([^)\s]*|[a-z]+://\S+", re.IGNORECASE)
_BALANCED = re.compile(
    f"[^{_OPEN}{_CLOSE}]*(?:{_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE}[^{_OPEN}{_CLOSE}]*)*"
)
_LINE = re.compile(r"L(\d+)(?:-L\d+)?")
_TASK = re.compile(r"\[([ xX])\] ")
_WIKI = re.compile(r"\[\[([^\[\]\n|#]{0,200})(#[^\[\]\n|]{0,200})?(?:\|([^\[\]\n]{1,200}))?\]\]")
# What a text may hold besides words: a bare address, marked words, the number of a footnote.
_INSIDE = re.compile(
    r"(?P<url>https?://[^\s<>\"']{1,2000})|==(?P<marked>[^=\s](?:[^=\n]{0,300}[^=\s])?)=="
    r"|\[\^(?P<foot>[\w-]{1,20})\]"
)
# A formula: what stands between two dollar signs and looks like one, so that prices and variables of a
# shell stay as they are.
_FORMULA = re.compile(
    r"\$\$(?P<shown>[^$\n]{1,2000})\$\$|\$(?P<inside>(?=[A-Za-z]\$|[^$\n]{0,500}[\\^_={}+<>|])"
    r"[^\s$](?:[^$\n]{0,500}[^\s$\\])?)\$(?!\w)"
)
_MOST_FORMULA_LINES = 60
_CALLOUT = re.compile(r"\[!(\w{1,20})\][+-]? ?")
PICTURES: Mapping[str, str] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
}
_DIRECTED = frozenset(
    {
        "paragraph_open",
        "heading_open",
        "bullet_list_open",
        "ordered_list_open",
        "blockquote_open",
    }
)
_IN_OTHERS = frozenset({"paragraph_open", "heading_open"})
# A large note full of links takes a tenth of these. Looking ahead, for the end of a link's text, is
# what grows without bounds.
_MOST_STEPS = 60_000
_MOST_AHEAD = 5_000
_MOST_CHARACTERS = 500_000
_MOST_LINES = 10_000
_CUT = (
    '<p class="cut" role="note">This note is too large or too tangled to be shown in full as a '
    "page; choose Source to see it as it is written.</p>"
)
_BLOCKS = frozenset(
    {
        "paragraph_open",
        "heading_open",
        "fence",
        "code_block",
        "formula_block",
        "hr",
        "tr_open",
        "list_item_open",
    }
)


def note_url(path: str, start: int | None = None, end: int | None = None) -> str:
    """The address of a note, or of some lines of it."""
    url = "/notes/" + quote(path, safe="/")
    if start is None:
        return url
    return f"{url}#L{start}" + (f"-L{end}" if end is not None and end != start else "")


def render_note(
    text: str, path: str, known: Known, named: Named = no_names, *, ticks: bool = False
) -> Markup:
    """A whole note, with an anchor for every line; links to other notes lead to their pages.

    With `ticks`, tasks are boxes that can be ticked.
    """
    every = text.removesuffix("\n")[:_MOST_CHARACTERS].split("\n")
    lines = every[:_MOST_LINES]
    hidden = read_front_matter(lines).lines
    body = "\n" * hidden + "\n".join(lines[hidden:])
    front = ""
    if hidden:
        front = _front(lines[1 : hidden - 1], f' data-line="1" data-end="{hidden}"', 2)
    parser = _parser()
    taken = set(range(2, hidden)) if hidden else set()
    effort = _Effort()
    env = {"path": path, "known": known, "anchors": True, "effort": effort, "named": named}
    env |= {"copies": True, "ticks": ticks}
    tokens = parser.parse(body, env)
    _number(tokens, taken, len(lines))
    is_cut = len(text) > _MOST_CHARACTERS or len(every) > len(lines) or effort.is_spent
    html = (_CUT if is_cut else "") + front
    html += str(parser.renderer.render(tokens, parser.options, env))
    return Markup(html)  # noqa: S704 - every text in it is escaped by the renderer below


def render_snippet(
    text: str,
    matched: Collection[str],
    path: str,
    known: Known,
    named: Named = no_names,
    *,
    copies: bool = False,
) -> Markup:
    """A piece of a note with the words that matched marked; with `copies`, code can be copied."""
    parser = _snippet_parser()
    env = {"path": path, "known": known, "anchors": False, "effort": _Effort(), "named": named}
    env |= {"copies": copies, "ticks": False}
    lines = _marked(text, matched).split("\n")
    hidden = read_front_matter(lines).lines
    html = _front(lines[1 : hidden - 1]) if hidden else ""
    body = parser.parse("\n".join(lines[hidden:]), env)
    html += str(parser.renderer.render(body, parser.options, env))
    return Markup(html)  # noqa: S704 - every text in it is escaped by the renderer below


@functools.cache
def _parser() -> MarkdownIt:
    """Parsing keeps nothing in it, so that one serves all threads; making one takes a while."""
    return _made()


@functools.cache
def _snippet_parser() -> MarkdownIt:
    """For pieces: a ruler in one may end front matter that began above, and makes no heading."""
    return _made().disable("lheading")


def _made() -> MarkdownIt:
    options = {"html": False, "linkify": False, "maxNesting": 30}
    parser = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    parser.inline = _FrugalInline()
    # The rules are chosen by name, so that the new part needs the choice of the preset again.
    parser.configure("commonmark", options).enable(["table", "strikethrough"])
    parser.inline.ruler.before("text", "effort", _count)
    parser.inline.ruler.before("link", "wiki", _wiki)
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.block.ruler.before("fence", "formula", _formula_block, {"alt": ["paragraph"]})
    return parser


def _formula(state: StateInline, silent: bool) -> bool:
    """`$x^2$` in a sentence, or `$$x^2$$`."""
    if state.src[state.pos] != "$" or state.src[state.pos - 1 : state.pos] == "$":
        return False
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content = match["shown"] or match["inside"]
        token.meta = {"display": match["shown"] is not None}
    state.pos = match.end()
    return True


def _formula_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines between two that have `$$`; one without an end is no formula."""

    def line(number: int) -> str:
        first = state.bMarks[number] + state.tShift[number]
        return state.src[first : state.eMarks[number]].rstrip()

    if state.is_code_block(start) or not line(start).startswith("$$"):
        return False
    last = start
    while not line(last).endswith("$$") or (last == start and len(line(start)) < 5):
        last += 1
        if last >= min(end, start + _MOST_FORMULA_LINES) or state.sCount[last] < state.blkIndent:
            return False
    inner = "\n".join(line(number) for number in range(start, last + 1)).strip("$")
    if "$" in inner or not inner.strip():
        return False
    if not silent:
        token = state.push("formula_block", "math", 0)
        token.block, token.content, token.map = True, inner, [start, last + 1]
        state.line = last + 1
    return True


def _wiki(state: StateInline, silent: bool) -> bool:
    """`[[Name]]`, `[[Name|shown]]` and `[[Name#Heading]]`, as Obsidian writes links."""
    if not state.src.startswith("[[", state.pos):
        return False
    match = _WIKI.match(state.src, state.pos, state.posMax)
    if match is None or not (match[1] or match[2]):
        return False
    if not silent:
        token = state.push("wiki", "a", 0)
        token.content = match[3] or match[1] or match[2]
        token.meta = {"name": match[1].translate(_MARKS).strip()}
    state.pos = match.end()
    return True


def _front(lines: Sequence[str], attributes: str = "", first: int = 0) -> str:
    """Front matter as a small list: the name of each value, and the value."""
    rows = []
    for offset, line in enumerate(lines):
        anchor = f' id="L{first + offset}"' if first else ""
        key, colon, value = line.partition(":")
        plain = not colon or line[:1] in (" ", "-", "#") or not value.startswith((" ", "\t", ""))
        text = _shown(line) if plain else f"<b>{_shown(key)}</b>{_shown(value.strip())}"
        rows.append(f'<span class="line" dir="auto"{anchor}>{text}</span>')
    return f'<div class="front"{attributes}>{"".join(rows)}</div>' if rows else ""


class _Tangled(Exception):
    """Reading the text as Markdown has taken more steps than it may."""


class _Effort:
    """How many steps a note has taken so far."""

    __slots__ = ("ahead", "steps")

    def __init__(self) -> None:
        self.steps = 0
        self.ahead = 0

    @property
    def is_spent(self) -> bool:
        return self.steps > _MOST_STEPS or self.ahead > _MOST_AHEAD


def _count(state: StateInline, silent: bool) -> bool:
    """A rule that fits nowhere and sees every step; `silent` ones look ahead."""
    effort: _Effort = state.env["effort"]
    effort.steps += 1
    effort.ahead += silent
    if effort.is_spent:
        raise _Tangled
    return False


class _FrugalInline(ParserInline):
    """Text that takes too many steps stays as it is written."""

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        try:
            return super().parse(src, md, env, tokens)
        except _Tangled:
            tokens.clear()
            for line in src.split("\n"):
                if tokens:
                    tokens.append(Token("softbreak", "br", 0))
                tokens.append(Token("text", "", 0, content=line))
            return tokens


def _marked(text: str, words: Collection[str]) -> str:
    clean = text.translate(_MARKS)
    addresses = [match.span() for match in _ADDRESS.finditer(clean)]
    parts: list[str] = []
    end = 0
    for start, stop in match_spans(clean, words):
        if any(first < stop and start < last for first, last in addresses):
            continue
        parts += [clean[end:start], _OPEN, clean[start:stop], _CLOSE]
        end = stop
    return "".join([*parts, clean[end:]])


def _number(tokens: list[Token], taken: set[int], total: int) -> None:
    """Give every block its lines, and every line that starts nothing an anchor before a block."""
    for token in tokens:
        if token.map and token.type in _BLOCKS:
            first = token.map[0] + 1
            token.attrSet("data-line", str(first))
            token.attrSet("data-end", str(token.map[1]))
            if first not in taken:
                token.attrSet("id", f"L{first}")
                taken.add(first)
        if token.type == "inline" and token.map:
            _number_breaks(token, token.map[0] + 1, taken)
        elif token.type in ("fence", "code_block") and token.map:
            start = token.map[0] + (2 if token.type == "fence" else 1)
            inner = range(start, start + token.content.count("\n"))
            token.meta["lines"] = {line for line in inner if line not in taken}
            taken |= token.meta["lines"]
    _anchor_rest(tokens, taken, total)


def _number_breaks(inline: Token, line: int, taken: set[int]) -> None:
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
            if line not in taken:
                child.meta["line"] = line
                taken.add(line)


def _anchor_rest(tokens: list[Token], taken: set[int], total: int) -> None:
    """Blank lines and the like have no element of their own; their anchors go before a block."""
    line = 1
    for token in tokens:
        if token.map and token.level == 0 and token.nesting >= 0:
            token.meta["anchors"] = [n for n in range(line, token.map[1] + 1) if n not in taken]
            line = token.map[1] + 1
    rest = [n for n in range(line, total + 1) if n not in taken]
    if rest:
        tokens.append(Token("anchors", "", 0, meta={"anchors": rest}, block=True))


def _code_lines(rows: Sequence[str], first: int, numbered: Collection[int]) -> str:
    """Code line by line, each with its anchor."""
    return "".join(
        f'<span class="line"{_id(first + offset, numbered)}>{row}\n</span>'
        for offset, row in enumerate(rows)
    )


def _id(line: int, numbered: Collection[int]) -> str:
    return f' id="L{line}"' if not numbered or line in numbered else ""


def _shown(text: str) -> str:
    """Escaped text, with its matches marked if they begin and end in it."""
    escaped = escapeHtml(text)
    if _OPEN not in escaped and _CLOSE not in escaped:
        return escaped
    if not _BALANCED.fullmatch(escaped):
        return escaped.translate(_MARKS)
    return escaped.replace(_OPEN, "<mark>").replace(_CLOSE, "</mark>")


_COPY = '<button class="copy" type="button" data-copy-code>Copy</button>'


class _Renderer(RendererHTML):
    """The HTML of each token where the library's own does not do; the names are the token's."""

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        parts = []
        for index, token in enumerate(tokens):
            anchors = token.meta.get("anchors", ()) if env["anchors"] else ()
            parts += [f'<span class="ln" id="L{line}"></span>' for line in anchors]
            if token.type == "anchors":
                continue
            # What has a direction of its own does not count for the quotation or list around it.
            if token.type in _DIRECTED and not (token.level and token.type in _IN_OTHERS):
                token.attrSet("dir", "auto")
            if token.type == "inline":
                parts.append(self._inline(token, options, env))
            elif token.type == "blockquote_open":
                parts.append(self._quote(tokens, index))
            elif token.type in self.rules:
                parts.append(self.rules[token.type](tokens, index, options, env))
            else:
                parts.append(self.renderToken(tokens, index, options, env))
        return "".join(parts)

    def _quote(self, tokens: Sequence[Token], index: int) -> str:
        """A quotation, or what Obsidian calls a callout: `> [!note] Title`."""
        inline = next((one for one in tokens[index : index + 3] if one.type == "inline"), None)
        first = inline.children[0] if inline and inline.children else None
        callout = _CALLOUT.match(first.content) if first and first.type == "text" else None
        if first is None or callout is None:
            return '<blockquote dir="auto">'
        first.content = first.content[callout.end() :]
        return f'<blockquote dir="auto" class="callout"><strong>{callout[1].capitalize()}</strong>'

    def _inline(self, token: Token, options: Any, env: Any) -> str:
        children = token.children or []
        env["linked"] = any(child.type == "link_open" for child in children)
        task = _TASK.match(children[0].content) if children and children[0].type == "text" else None
        if task is None:
            return str(self.renderInline(children, options, env))
        children[0].content = children[0].content[task.end() :]
        state = "open" if task[1] == " " else "done"
        if env["ticks"] and token.map:
            said = self.renderInlineAsText(children, options, env).translate(_MARKS)[:80]
            box = (
                f'<button type="button" class="task {state}" role="checkbox" '
                f'aria-checked="{"false" if state == "open" else "true"}" '
                f'aria-label="{escapeHtml(said)}" data-task="{token.map[0] + 1}"></button>'
            )
        else:
            box = f'<span class="task {state}" role="img" aria-label="{state}"></span>'
        return box + str(self.renderInline(children, options, env))

    def formula(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        token = tokens[idx]
        return formula(token.content.translate(_MARKS), display=token.meta["display"])

    def formula_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        token = tokens[idx]
        inner = formula(token.content.translate(_MARKS), display=True)
        return f'<div class="formula"{self.renderAttrs(token)} tabindex="0">{inner}</div>'

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        text = tokens[idx].content
        if "://" not in text and "==" not in text and "[^" not in text:
            return _shown(text)
        parts, end = [], 0
        for match in _INSIDE.finditer(text):
            parts += [_shown(text[end : match.start()]), _special(match, linked=env["linked"])]
            end = match.end()
        return "".join([*parts, _shown(text[end:])])

    def wiki(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        token = tokens[idx]
        name = token.meta["name"]
        path = env["named"](name) if name else env["path"]
        if path is None and name and env["known"](f"{name}.md"):
            path = f"{name}.md"
        shown = _shown(token.content)
        if path is None:
            return f'<a class="dead" href="/about/{quote(name, safe="")}">{shown}</a>'
        return f'<a href="{escapeHtml(note_url(path))}">{shown}</a>'

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        code = f"<code>{_shown(tokens[idx].content)}</code>"
        if env["linked"]:
            return code
        url = _note_link(tokens[idx].content.translate(_MARKS), env)
        return f'<a href="{escapeHtml(url)}">{code}</a>' if url else code

    def softbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        line = tokens[idx].meta.get("line")
        return f'\n<span class="ln" id="L{line}"></span>' if line else "\n"

    def hardbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "<br>" + self.softbreak(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return self._code(tokens[idx], 2, env)

    def code_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return self._code(tokens[idx], 1, env)

    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return self._cell(tokens[idx])

    def td_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return self._cell(tokens[idx])

    def _cell(self, token: Token) -> str:
        """A cell that is aligned by a class, because the page allows no inline style."""
        side = str(token.attrGet("style") or "").removeprefix("text-align:")
        kind = f' class="{escapeHtml(side)}"' if side else ""
        return f'<{token.tag} dir="auto"{kind}>'

    def _code(self, token: Token, skipped: int, env: Any) -> str:
        code = token.content.removesuffix("\n")
        marked = _OPEN in code or _CLOSE in code
        rows = [_shown(row) for row in code.split("\n")] if marked else coloured(code, token.info)
        if env["anchors"] and token.map:
            numbered = token.meta.get("lines", ()) or {-1}
            lines = _code_lines(rows, token.map[0] + skipped, numbered)
            shown = f'<pre{self.renderAttrs(token)} tabindex="0"><code>{lines}</code></pre>'
        else:
            shown = "<pre><code>" + "\n".join(rows) + "\n</code></pre>"
        return f'<div class="code">{_COPY}{shown}</div>' if env["copies"] else shown

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        return '<table tabindex="0">' if env["anchors"] else "<table>"

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        source = str(token.attrGet("src") or "")
        label = self.renderInlineAsText(token.children or [], options, env).translate(_MARKS)
        if source.startswith("data:image/"):
            return f'<img src="{escapeHtml(source)}" alt="{escapeHtml(label)}">'
        if picture := _picture(unquote(source), env):
            return f'<img src="{escapeHtml(picture)}" alt="{escapeHtml(label)}" loading="lazy">'
        shown = f'<span class="image-name">{escapeHtml(label or source)}</span>'
        if urlsplit_scheme(source) in ("http", "https"):
            return (
                f'<a class="image" href="{escapeHtml(source)}" target="_blank" '
                f'rel="noopener noreferrer" title="Pictures are not loaded">{shown}</a>'
            )
        return f'<span class="image" title="Pictures are not loaded">{shown}</span>'

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        target = str(tokens[idx].attrGet("href") or "")
        scheme = urlsplit_scheme(target)
        if scheme in ("http", "https", "mailto"):
            return f'<a href="{escapeHtml(target)}" target="_blank" rel="noopener noreferrer">'
        url = target if target.startswith("#") else _note_link(unquote(target), env)
        if url:
            return f'<a href="{escapeHtml(url)}">'
        return '<a class="dead" title="This leads to nothing in the notes">'


def _special(match: re.Match[str], *, linked: bool) -> str:
    if match["marked"]:
        return f"<mark>{_shown(match['marked'])}</mark>"
    if match["foot"]:
        return f'<span class="footnote">{_shown(match["foot"])}</span>'
    url = match["url"].translate(_MARKS)
    if linked:
        return escapeHtml(url)
    # What ends a sentence, or closes a bracket that was opened before, is no part of an address.
    bare = url.rstrip(".,;:!?…*_")
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(".,;:!?")
    link = escapeHtml(bare)
    rest = escapeHtml(url[len(bare) :])
    return f'<a href="{link}" target="_blank" rel="noopener noreferrer">{link}</a>{rest}'


def _picture(source: str, env: Any) -> str | None:
    """The address of a picture that lies in the workspace, from the note's folder or from the top."""
    if urlsplit_scheme(source) or posixpath.splitext(source)[1].lower() not in PICTURES:
        return None
    folder = posixpath.dirname(cast("str", env["path"]))
    path = posixpath.normpath(
        posixpath.join("" if source.startswith("/") else folder, source.lstrip("/"))
    )
    if path.startswith(("..", "/")) or len(path) > 400:
        return None
    return "/files/" + quote(path, safe="/")


def urlsplit_scheme(target: str) -> str:
    """The scheme of an address; empty for a relative one and for one that is none."""
    try:
        return urlsplit(target).scheme.lower()
    except ValueError:
        return "?"


def _note_link(target: str, env: Any) -> str | None:
    """The page of the note that a link or a piece of code names, from its folder or from the top."""
    name, _, fragment = target.partition("#")
    if not name.lower().endswith(".md") or len(name) > 400:
        return None
    folder = posixpath.dirname(cast("str", env["path"]))
    for path in (name, posixpath.normpath(posixpath.join(folder, name))):
        if env["known"](path):
            lines = _LINE.fullmatch(fragment)
            return note_url(path) + (f"#{fragment}" if lines else "")
    return None
