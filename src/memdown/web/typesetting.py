"""What a note holds besides prose: code, its words told apart by colour, and formulas as MathML.

Both are for looking at: what is not understood is shown as it is written. The patterns are bounded, so
that no text takes longer than its length deserves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown_it.common.utils import escapeHtml

_MOST_CODE = 20_000
_WORDS: Mapping[str, frozenset[str]] = {
    "#": frozenset(
        "and as assert async await begin break case class continue def del do done elif else end esac "
        "except export false fi finally for from function global if import in is lambda local match "
        "module None nil nonlocal not null or pass raise return self set source then True true try "
        "unless until while with yield False echo cd".split()
    ),
    "//": frozenset(
        "abstract as async await bool boolean break case catch char class const continue default delete "
        "do double else enum export extends false final finally float fn for func function go if impl "
        "implements import in int interface let long loop match mod mut namespace new nil null number "
        "package private protected pub public return self static string struct super switch this throw "
        "trait true try type typeof undefined unsafe use using var void where while yield".split()
    ),
    "--": frozenset(
        "and as asc begin by case commit create cross default delete desc distinct drop else elseif end "
        "exists false for foreign from full function group having if in index inner insert into is join "
        "key left like limit local not nil null on or order outer primary references repeat returning "
        "right select set table then true union unique update using values view when where while "
        "with".split()
    ),
}
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(
        "py python bash sh shell zsh fish console ruby rb yaml yml toml ini conf r perl make makefile "
        "dockerfile elixir nix".split(),
        "#",
    ),
    **dict.fromkeys(
        "js javascript jsx ts typescript tsx json json5 jsonc java c h cpp c++ cs csharp go rust rs "
        "kotlin kt swift php scala dart css scss less".split(),
        "//",
    ),
    **dict.fromkeys("sql lua haskell hs elm".split(), "--"),
}
_COMMENT = {
    "#": r"(?<![^\s;(])#[^\n]*",
    "//": r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)",
    "--": r"--[^\n]*|/\*[\s\S]*?(?:\*/|\Z)",
}
_PATTERN = {
    family: re.compile(
        rf"(?P<comment>{comment})"
        r"|(?P<string>\"{3}[\s\S]*?(?:\"{3}|\Z)|'{3}[\s\S]*?(?:'{3}|\Z)"
        r"|\"(?:\\.|[^\"\\\n]){0,500}\"|'(?:\\.|[^'\\\n]){0,500}'|`(?:\\.|[^`\\]){0,500}`)"
        r"|(?P<number>(?<![\w.])\d[\w.]{0,40})"
        r"|(?P<word>[^\W\d]\w{0,80})"
    )
    for family, comment in _COMMENT.items()
}


def coloured(code: str, language: str) -> list[str]:
    """Code as lines of HTML; of a language that is known, with its kinds of words told apart."""
    name = language.split()[0].lower() if language.strip() else ""
    if len(code) > _MOST_CODE:
        name = ""
    if name in ("diff", "patch"):
        return [_diffed(line) for line in code.split("\n")]
    family = _FAMILIES.get(name)
    if family is None:
        return [escapeHtml(line) for line in code.split("\n")]
    parts: list[str] = []
    end = 0
    for match in _PATTERN[family].finditer(code):
        kind = match.lastgroup or ""
        if kind == "word":
            word = match[0] if family != "--" else match[0].lower()
            if word not in _WORDS[family]:
                continue
        parts += [escapeHtml(code[end : match.start()]), _spans(match[0], kind)]
        end = match.end()
    return "".join([*parts, escapeHtml(code[end:])]).split("\n")


def _spans(text: str, kind: str) -> str:
    """A piece of code in its colour; it may go over lines, its spans do not."""
    return "\n".join(
        f'<span class="code-{kind}">{escapeHtml(line)}</span>' if line else ""
        for line in text.split("\n")
    )


def _diffed(line: str) -> str:
    kind = {"+": "came", "-": "went", "@": "comment"}.get(line[:1])
    return f'<span class="code-{kind}">{escapeHtml(line)}</span>' if kind else escapeHtml(line)


class _NotUnderstood(Exception):
    """A formula that is shown as it is written."""


_MOST_FORMULA = 2_000
_MOST_DEPTH = 20
_PIECE = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)
_LETTERS = dict(
    zip(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi "
        "rho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
        "Upsilon Phi Psi Omega infty partial nabla ell hbar emptyset varnothing Re Im aleph".split(),
        "αβγδϵεζηθϑικλμνξπρσςτυϕφχψωΓΔΘΛΞΠΣΥΦΨΩ∞∂∇ℓℏ∅∅ℜℑℵ",
        strict=True,
    )
)
_SIGNS = dict(
    zip(
        "times cdot div pm mp leq le geq ge neq ne approx equiv sim simeq propto to rightarrow leftarrow "
        "Rightarrow Leftarrow leftrightarrow Leftrightarrow implies iff mapsto in notin ni subset subseteq "
        "supset supseteq cup cap setminus wedge land vee lor neg lnot forall exists mid parallel perp "
        "angle circ bullet star oplus otimes ll gg langle rangle lfloor rfloor lceil rceil ldots dots "
        "cdots vdots therefore prime".split(),
        "×⋅÷±∓≤≤≥≥≠≠≈≡∼≃∝→→←⇒⇐↔⇔⟹⟺↦∈∉∋⊂⊆⊃⊇∪∩∖∧∧∨∨¬¬∀∃∣∥⊥∠∘∙⋆⊕⊗≪≫⟨⟩⌊⌋⌈⌉……⋯⋮∴′",
        strict=True,
    )
)
_BIG = {"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂"}
_BELOW = frozenset({"sum", "prod", "bigcup", "bigcap", "lim", "max", "min", "sup", "inf", "argmax"})
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min sup inf det "
    "dim ker deg gcd argmax argmin Pr".split()
)
_ACCENTS = {"hat": "^", "bar": "¯", "vec": "→", "dot": "˙", "ddot": "¨", "tilde": "~"}
_ACCENTS |= {"overline": "‾", "widehat": "^", "overrightarrow": "→"}
_SPACES = {",": ".17", ":": ".22", ";": ".28", " ": ".3", "quad": "1", "qquad": "2", "!": "-.17"}
_DOUBLE = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
_FENCES = {
    "matrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "vmatrix": ("|", "|"),
    "cases": ("{", ""),
    "aligned": ("", ""),
    "align": ("", ""),
}
_TEXTS = frozenset(
    {"text", "mathrm", "operatorname", "textbf", "textit", "mbox", "mathsf", "mathtt"}
)
_STYLES = frozenset({"mathbf", "mathit", "mathcal", "boldsymbol", "mathfrak"})


def formula(source: str, *, display: bool) -> str:
    """TeX as MathML; what is not understood, or too long, as code."""
    source = source.strip()
    try:
        if len(source) > _MOST_FORMULA:
            raise _NotUnderstood
        inner = _Formula(_PIECE.findall(source), display).whole()
    except _NotUnderstood:
        return f"<code>{escapeHtml(source)}</code>"
    kind = ' display="block"' if display else ""
    return f'<math{kind} alttext="{escapeHtml(source)}">{inner}</math>'


class _Formula:
    """One formula, read from its first piece to its last."""

    def __init__(self, pieces: list[str], display: bool) -> None:
        self._pieces = pieces
        self._at = 0
        self._depth = 0
        self._display = display

    def whole(self) -> str:
        """All of it."""
        inner = self._row(())
        if self._at < len(self._pieces):
            raise _NotUnderstood
        return inner

    def _row(self, ends: tuple[str, ...]) -> str:
        """Everything up to one of the ends, or to the end of all."""
        parts: list[str] = []
        while (piece := self._peek()) and piece not in ends and piece not in ("}", "&", "\\\\"):
            parts.append(self._scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def _peek(self) -> str:
        while self._at < len(self._pieces) and self._pieces[self._at].isspace():
            self._at += 1
        return self._pieces[self._at] if self._at < len(self._pieces) else ""

    def _next(self) -> str:
        piece = self._peek()
        if not piece:
            raise _NotUnderstood
        self._at += 1
        return piece

    def _scripted(self) -> str:
        """One thing with what stands below and above it."""
        first = self._peek()
        base = "<mrow></mrow>" if first in ("^", "_") else self._atom()
        scripts: dict[str, str] = {}
        while (sign := self._peek()) in ("^", "_", "'"):
            self._next()
            if sign == "'":
                scripts["^"] = scripts.get("^", "") + "<mo>′</mo>"
            elif sign in scripts:
                raise _NotUnderstood
            else:
                scripts[sign] = self._argument()
        below, above = scripts.get("_"), scripts.get("^")
        above = f"<mrow>{above}</mrow>" if above else None
        around = self._display and first.removeprefix("\\") in _BELOW
        if below and above:
            tag = "munderover" if around else "msubsup"
            return f"<{tag}>{base}{below}{above}</{tag}>"
        if below or above:
            tag = ("munder" if below else "mover") if around else ("msub" if below else "msup")
            return f"<{tag}>{base}{below or above}</{tag}>"
        return base

    def _argument(self) -> str:
        """What a command or a script is about; of a number without braces the first digit."""
        piece = self._peek()
        if piece[:1].isdigit() and len(piece) > 1:
            self._pieces[self._at : self._at + 1] = [piece[0], piece[1:]]
        return self._atom()

    def _atom(self) -> str:
        """One letter, number, sign or group; groups stand in one another, but not without end."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise _NotUnderstood
        inner = self._single(self._next())
        self._depth -= 1
        return inner

    def _single(self, piece: str) -> str:
        if piece == "{":
            inner = self._row(("}",))
            self._expect("}")
            return inner
        if piece.startswith("\\"):
            return self._command(piece[1:])
        if piece[0].isdigit():
            return f"<mn>{piece}</mn>"
        if piece.isalpha():
            return f"<mi>{escapeHtml(piece)}</mi>"
        if piece in ("^", "_", "}", "&", "$", "#", "%", "~"):
            raise _NotUnderstood
        return f"<mo>{escapeHtml('−' if piece == '-' else piece)}</mo>"

    def _command(self, name: str) -> str:
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _SIGNS:
            return f"<mo>{_SIGNS[name]}</mo>"
        if name in _BIG:
            return f"<mo>{_BIG[name]}</mo>"
        if name in _FUNCTIONS:
            return f"<mi>{name}</mi>"
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"></mspace>'
        if name in ("{", "}", "%", "$", "#", "&", "_", "|"):
            return f"<mo>{escapeHtml('‖' if name == '|' else name)}</mo>"
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "binom":
            inner = f'<mfrac linethickness="0">{self._argument()}{self._argument()}</mfrac>'
            return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"
        if name == "sqrt":
            return self._root()
        if name in _TEXTS:
            return f"<mtext>{escapeHtml(self._plain())}</mtext>"
        if name == "mathbb":
            letters = self._plain()
            return f"<mi>{escapeHtml(''.join(_DOUBLE.get(one, one) for one in letters))}</mi>"
        if name in _STYLES:
            return self._argument()
        if name in _ACCENTS:
            return f'<mover accent="true">{self._argument()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name == "underline":
            return f'<munder accentunder="true">{self._argument()}<mo>_</mo></munder>'
        if name == "left":
            return self._fenced()
        if name == "begin":
            return self._table()
        raise _NotUnderstood

    def _root(self) -> str:
        if self._peek() != "[":
            return f"<msqrt>{self._argument()}</msqrt>"
        self._next()
        index = self._row(("]",))
        self._expect("]")
        return f"<mroot>{self._argument()}{index}</mroot>"

    def _fenced(self) -> str:
        opening = self._fence()
        inner = self._row(("\\right",))
        self._expect("\\right")
        return f"<mrow>{opening}{inner}{self._fence()}</mrow>"

    def _fence(self) -> str:
        piece = self._next().removeprefix("\\")
        sign = _SIGNS.get(piece, "‖" if piece == "|" else piece)
        if sign != "." and sign not in "()[]{}|‖⟨⟩⌊⌋⌈⌉/":
            raise _NotUnderstood
        return f"<mo>{'' if sign == '.' else sign}</mo>"

    def _table(self) -> str:
        name = self._plain().rstrip("*")
        if name not in _FENCES:
            raise _NotUnderstood
        rows: list[list[str]] = [[]]
        while True:
            cell = self._row(("\\end",))
            rows[-1].append(f"<mtd>{cell}</mtd>")
            piece = self._next()
            if piece == "\\\\":
                rows.append([])
            elif piece == "\\end":
                break
            elif piece != "&":
                raise _NotUnderstood
        self._plain()
        before, after = _FENCES[name]
        table = "".join(f"<mtr>{''.join(row)}</mtr>" for row in rows)
        inner = f"<mtable>{table}</mtable>"
        signs = [f"<mo>{sign}</mo>" if sign else "" for sign in (before, after)]
        return f"<mrow>{signs[0]}{inner}{signs[1]}</mrow>"

    def _plain(self) -> str:
        """The text between two braces, as it stands there."""
        self._expect("{")
        start = self._at
        while self._at < len(self._pieces) and self._pieces[self._at] not in ("}", "{"):
            self._at += 1
        text = "".join(self._pieces[start : self._at])
        self._expect("}")
        return text

    def _expect(self, piece: str) -> None:
        if self._next() != piece:
            raise _NotUnderstood
