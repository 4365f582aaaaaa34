"""Markdown becomes HTML that can do nothing, and every line of it can be linked to."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.web.rendering import note_url, render_note, render_snippet
from memdown.web.typesetting import coloured, formula

MATHS = {
    "math", "mfrac", "mi", "mn", "mo", "mover", "mroot", "mrow", "mspace", "msqrt", "msub", "msubsup",
    "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
TAGS = MATHS | {
    "a",
    "b",
    "blockquote",
    "br",
    "button",
    "code",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "img",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}
ATTRIBUTES = {
    "accent",
    "accentunder",
    "aria-checked",
    "aria-label",
    "align",
    "alt",
    "alttext",
    "class",
    "data-copy-code",
    "data-end",
    "data-line",
    "data-task",
    "dir",
    "display",
    "href",
    "id",
    "linethickness",
    "loading",
    "rel",
    "role",
    "src",
    "start",
    "tabindex",
    "target",
    "title",
    "type",
    "width",
}


class Checker(HTMLParser):
    """Fails on any tag, attribute or address that a note must not bring in."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        for name, value in attrs:
            assert name in ATTRIBUTES, name
            assert not name.startswith("on")
            if name == "href":
                assert re.match(
                    r"(https?:|mailto:|/notes/|/about/|#)", value or "", re.IGNORECASE
                ), value
            if name == "src":
                assert (value or "").startswith(("data:image/", "/files/")), value


def render(text: str) -> str:
    return str(render_note(text, "memory/a.md", lambda path: path == "memory/b.md", ticks=True))


PIECES = st.sampled_from(
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:x)", "[a](data:text/html,x)", "![a](http://x/y.png)", "![a](data:image/png;base64,AA)",
        "[a](b.md#L3)", "[a]: javascript:x\n[a]", "<http://x.y>", "`memory/b.md`", "```\ncode\n```", "# h",
        "- [ ] a", "| a |\n|--:|\n| b |", "> q", "    code", "\n\n", "**b**", "\\", "&lt;", "\ue000", "[a](//x)",
        "[a](vbscript:x)", "[[b]]", "[[<b>|\"x]]", "![a](p.png)", "![a](../../p.png)", "https://x.y/?a=\"b", "==m==", "[^1]", "> [!note] n", "$x^2$", "$$\n", "$\\frac<b", "\\text{<b>}$", "```py\n'''<b>\n```", "[a](\x01javascript:x)", "---", "\n", '"', "'", "<a href='javascript:x'>",
    ]
)  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=14).map("".join))
def test_nothing_in_a_note_becomes_more_than_text(text: str) -> None:
    Checker().feed(render(text))
    Checker().feed(str(render_snippet(text, ["alert", "code", "script"], "a.md", lambda _: True)))


@given(
    st.lists(st.one_of(PIECES, st.text(alphabet="ab \n-#>`|", max_size=8)), max_size=20).map(
        "".join
    )
)
def test_every_line_has_exactly_one_anchor(text: str) -> None:
    lines = text.removesuffix("\n").split("\n")
    found = [int(number) for number in re.findall(r' id="L(\d+)"', render(text))]
    assert sorted(found) == list(range(1, len(lines) + 1))


def test_a_script_is_shown_as_text() -> None:
    assert "&lt;script&gt;" in render("<script>alert(1)</script>")


def test_blocks_know_their_lines() -> None:
    html = render("# Title\n\nfirst\nsecond\n\n- one\n- two\n")
    assert '<h1 data-line="1" data-end="1" id="L1" dir="auto">' in html
    assert '<p data-line="3" data-end="4" id="L3" dir="auto">' in html
    assert '<span class="ln" id="L4"></span>second' in html
    assert '<li data-line="7" data-end="7" id="L7">' in html


def test_lines_of_code_can_be_linked_to() -> None:
    html = render("```\na\nb\n```\n")
    assert '<span class="line" id="L2">a' in html
    assert '<span class="line" id="L3">b' in html


def test_front_matter_is_no_heading() -> None:
    html = render("---\ntitle: x\n---\n# Real\n")
    assert '<div class="front"' in html
    assert html.count("<h") == 1


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: Ana <b>\ntags: [people]\n---\nLikes tea.",
        "title: Ana <b>\ntags: [people]\n---\nLikes tea.",
        "---\ntitle: Ana <b>",
    ],
)
def test_front_matter_in_a_result_is_no_heading(text: str) -> None:
    """Whole or cut: between rulers it would else be set in bold."""
    html = str(render_snippet(text, ["ana"], "memory/a.md", lambda _: False))
    assert "<h" not in html.replace("<hr", "")
    assert "<mark>Ana</mark> &lt;b&gt;" in html


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("[b](b.md)", "/notes/memory/b.md"),
        ("[b](memory/b.md#L3-L4)", "/notes/memory/b.md#L3-L4"),
        ("[b](../memory/b.md)", "/notes/memory/b.md"),
        ("`memory/b.md#L2`", "/notes/memory/b.md#L2"),
    ],
)
def test_links_between_notes_lead_to_their_pages(link: str, url: str) -> None:
    assert f'href="{url}"' in render(link)


def test_a_link_to_nothing_is_no_link() -> None:
    assert "href" not in render("[x](missing.md) and [y](/etc/passwd)")


def test_pictures_from_elsewhere_are_not_loaded() -> None:
    """Loading one would tell its server that, and when, the note was read."""
    html = render("![chart](https://x.example/chart.png)")
    assert "<img" not in html
    assert "chart" in html


def test_matches_are_marked() -> None:
    html = str(render_snippet("The **router** is an ER605.", ["router"], "a.md", lambda _: False))
    assert "<strong><mark>router</mark></strong>" in html


def test_a_match_in_an_address_leaves_it_alone() -> None:
    html = str(
        render_snippet(
            "[router](http://router.example/router)", ["router"], "a.md", lambda _: False
        )
    )
    assert 'href="http://router.example/router"' in html
    assert "<mark>router</mark></a>" in html


def test_addresses_of_notes() -> None:
    assert note_url("memory/a b.md", 3, 9) == "/notes/memory/a%20b.md#L3-L9"
    assert note_url("memory/ä?#.md", 3, 3) == "/notes/memory/%C3%A4%3F%23.md#L3"


def test_columns_are_aligned_without_inline_style() -> None:
    """The page's policy allows no style of its own in a tag."""
    html = render("| a |\n|--:|\n| 1 |\n")
    assert "style=" not in html
    assert '<td dir="auto" class="right">1</td>' in html


@pytest.mark.parametrize("piece", ["![", "[", "[a][", "![[", "*_a", "![\n", "![\n\n"])
def test_markdown_that_would_take_seconds_is_shown_as_it_is_written(piece: str) -> None:
    """100 KB of open brackets took eleven seconds of a core; so steps are counted, not time."""
    html = render("# Title\n\n" + piece * (100_000 // len(piece)))
    assert html.startswith('<p class="cut"')
    assert '<h1 data-line="1"' in html
    assert html.count(piece.strip()) > 1000


def test_a_large_note_of_the_usual_kind_is_shown_in_full() -> None:
    html = render("- see [home](memory/home.md), `code` and **bold**\n" * 2500)
    assert 'class="cut"' not in html
    assert html.count("<strong>bold</strong>") == 2500


@pytest.mark.parametrize("text", ["a line\n" * 200_000, "a" * 2_000_000])
def test_a_huge_note_is_cut_and_says_so(text: str) -> None:
    html = render(text)
    assert html.startswith('<p class="cut"')
    assert len(html) < len(text)


def test_formulas_are_set_and_prices_are_not() -> None:
    """What is between dollar signs and looks like a formula; what is not understood stays as written."""
    html = render("So $E = mc^2$, $x$ and\n\n$$\n\\frac{a}{b}\n- c\n$$\n\nEnd.\n")
    assert "<msup><mi>c</mi><mrow><mn>2</mn></mrow></msup>" in html
    assert '<math alttext="x">' in html
    assert '<math display="block" alttext="\\frac{a}{b}\n- c">' in html
    assert '<div class="formula" data-line="3" data-end="6" id="L3"' in html
    for text in (
        "It was $5, then $7.",
        "$HOME/$USER",
        "$PATH=$HOME:$X",
        "a $ b = c $ d",
        "`$x^2$`",
    ):
        assert "<math" not in render(text)
    assert "<code>\\unheard{x}^2</code>" in render(r"$\unheard{x}^2$")
    assert "<li" in render("$$\n- no end\n")


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (r"\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>"),
        (r"\sum_{i=1}^n i", "<munderover><mo>∑</mo>"),
        (r"\int_0^1 x", "<msubsup><mo>∫</mo>"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "</mtr><mtr>"),
        (r"\left( \frac12 \right)", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"f'(x) < \alpha", "<mo>&lt;</mo><mi>α</mi>"),
        (r"x_{\text{max & <b>}}", "<mtext>max &amp; &lt;b&gt;</mtext>"),
    ],
)
def test_parts_of_formulas(source: str, part: str) -> None:
    assert part in formula(source, display=True)


@given(st.text(alphabet=r"\\{}^_&[]()abx12 +-$<", max_size=60))
def test_no_formula_is_too_much(source: str) -> None:
    """Also one that opens and never closes: it is read to its end, or shown as it is."""
    Checker().feed(formula(source, display=True))
    for deep in ("{" * 1_900, r"\sqrt" * 380, "^{" * 900, r"\left(" * 300):
        assert formula(deep + source, display=False).startswith("<code>")


def test_code_is_told_apart_and_stays_what_it_is() -> None:
    code = 'def f(x):  # why\n    """two\n    lines"""\n    return "<b>" + \'x\' + 3.5\n'
    html = render(f"```python\n{code}```\n")
    assert '<span class="code-word">def</span> f(x)' in html
    assert '<span class="code-comment"># why</span>' in html
    assert '<span class="code-string">    lines&quot;&quot;&quot;</span>' in html
    assert '<span class="code-number">3.5</span>' in html
    assert '<button class="copy" type="button" data-copy-code>Copy</button><pre' in html
    for language in ("python", "rust", "sql", "json", "diff", "nothing", ""):
        rows = coloured(code, language)
        assert unescape(re.sub("<[^>]+>", "", "\n".join(rows))) == code


def test_tasks_can_be_ticked_where_the_note_can_be_changed() -> None:
    text = "# List\n\n- [ ] Water **them**\n- [x] Call\n  - [ ] nested\n"
    html = render(text)
    assert re.findall(r'aria-checked="(\w+)" aria-label="([^"]+)" data-task="(\d+)"', html) == [
        ("false", "Water them", "3"),
        ("true", "Call", "4"),
        ("false", "nested", "5"),
    ]
    assert "data-task" not in str(render_note(text, "a.md", lambda _: False))


def test_a_quotation_and_a_loose_list_stand_as_their_text_does() -> None:
    """A paragraph with a direction of its own would not count for what is around it."""
    html = render("> ציטוט\n\n- אחת\n\n- שתיים\n")
    assert '<blockquote dir="auto">' in html
    assert '<ul dir="auto">' in html
    assert "<p dir" not in html
