"""The students' Markdown and TeX: it is rendered, and harmless whatever it contains."""

import itertools

import pytest

from lxmls_day1.grading.intake.notebook_answers import model_answers
from lxmls_day1.grading.reports.rendered_markdown import MAX_CHARS, MAX_HTML_CHARS, html_of_markdown
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.html_elements import Elements

MARKDOWN = {
    "blockquote", "br", "code", "div", "em", "h4", "hr", "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip
MATHML = {
    "math", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mphantom", "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle",
    "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
ATTRIBUTES = {
    "accent", "accentunder", "class", "display", "displaystyle", "fence", "form", "largeop", "linethickness", "lspace", "mathvariant",
    "maxsize", "minsize", "movablelimits", "rspace", "scope", "scriptlevel", "separator", "start", "stretchy", "symmetric", "tabindex",
    "width",
}  # fmt: skip
CLASSES = {"math inline", "math block", "math amsmath", "scroll", "written"}
CANARY = "javascript:canary"

HOSTILE = [
    f"<script>{CANARY}</script>",
    f'<img src=x onerror="{CANARY}">',
    f"<iframe src='{CANARY}'></iframe><style>*{{display:none}}</style>",
    f"[x]({CANARY}) ![y]({CANARY}) <{CANARY}> [z][r]\n\n[r]: {CANARY} 'title'",
    f"[x](java&#115;cript:canary) ![y](//canary.example/{CANARY}.png)",
    f"<https://canary.example> https://canary.example {CANARY}",
    f'```x" onclick={CANARY}\n{CANARY}\n```',
    f"~~~\n</code></pre><script>{CANARY}",
    f"    </code><b onmouseover={CANARY}>",
    f"# </h4><form action={CANARY}><input name=x>\n{CANARY}\n===",
    f"| <b>{CANARY}</b> | b |\n|:--|--:|\n| <a href={CANARY}> | 2 |",
    f"&lt;script&gt;{CANARY}&lt;/script&gt; &#60;b&#62;",
    f"- [ ] <details open ontoggle={CANARY}>",
    f"$\\href{{{CANARY}}}{{x}}$",
    f"$\\text{{</mtext></math><img src=x onerror={CANARY}>}}$",
    f"$\\text{{&lt;img src=x onerror={CANARY}&gt;}}$",
    f"$\\style{{position:fixed;background:url({CANARY})}}{{x}}$",
    f'$\\class{{x" onclick="{CANARY}}}{{x}}$ $\\color{{red" onclick="{CANARY}}}{{x}}$',
    f"$$\\includegraphics{{{CANARY}}}\\url{{{CANARY}}}$$",
    f"$$\\unicode{{60}}script\\operatorname{{</mo><script>{CANARY}}}$$",
    f"$$\\rule{{9999em}}{{9999em}}\\hspace{{9999em}}\\vspace{{9999em}}\\raise9999em{{{CANARY}}}$$",
    f"\\begin{{align}}<script>{CANARY}&=b\\end{{align}}",
    f"$\\data{{{CANARY}}}\\cssId{{{CANARY}}}{{x}}\\require{{{CANARY}}}$ $<math href={CANARY}>$",
    f"<!--{CANARY}--><![CDATA[{CANARY}]]><?x {CANARY}?>",
    "{{ 7 * 7 }}{% include 'page.html.j2' %}",
    "\x1b[2J\u202e\ud800\x00 &#8238; &#x202e; &#0; $\\text{&#x202e;}$",
]


def elements(text):
    """Return the elements, after checking that all are on the lists above and that no attribute holds a student's text."""
    html = html_of_markdown(text)
    html.encode("utf-8")
    found = Elements(html)
    assert set(names_of(found)) <= MARKDOWN | MATHML and not found.declarations
    for name, value in itertools.chain(*(attributes for _, attributes in found.tags)):
        assert name in ATTRIBUTES and "canary" not in value and len(value) < 20
        assert name != "class" or value in CLASSES
    return found


def names_of(found):
    return [tag for tag, _ in found.tags]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_has_no_effect(text):
    found = elements(text)
    assert not set("\u202e\x1b\x00") & set(found.text)


@pytest.mark.parametrize(
    "around",
    ["> {}", "- {}\n- {}", "a | b\n--|--\n{} | $x$", "**{}**", "`{}`", "${}$", "$$\n{}\n$$", "# {}", "```\n{}"],
)
def test_hostile_text_within_markdown_has_no_effect(around):
    for text in HOSTILE:
        elements(around.replace("{}", text))


def test_unsupported_markup_stays_readable():
    for text in ("[the guide](http://guide.example)", "![plot](a.png)", "<b>bold</b>", "<http://guide.example>"):
        assert elements(text).text == text


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** *b* `c` ~~d~~", "<p><strong>a</strong> <em>b</em> <code>c</code> <s>d</s></p>"),
        ("# Large\ntext", "<h4>Large</h4>\n<p>text</p>"),
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("3. c\n4. d", '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>'),
        ("```python\nx < 1\n```", '<pre tabindex="0"><code>x &lt; 1\n</code></pre>'),
        ("", ""),
    ],
)
def test_markdown_is_laid_out(markdown, html):
    assert html_of_markdown(markdown) == html


def test_a_table_has_heads_and_scrolls_by_itself():
    html = html_of_markdown("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert html.startswith('<div class="scroll" tabindex="0"><table>')
    assert html.count('<th scope="col">') == 2 and html.count("<td>") == 2


@pytest.mark.parametrize(
    ("tex", "mathml"),
    [
        (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\lambda < 1", "<mi>λ</mi><mo>&lt;</mo><mn>1</mn>"),
        (r"\arg\max_y", "<mi>arg</mi><msub><mo>max</mo><mi>y</mi></msub>"),
        (r"\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>"),
    ],
)
def test_tex_is_typeset(tex, mathml):
    assert mathml in html_of_markdown(f"Let ${tex}$.")
    assert '<math display="inline">' in html_of_markdown(f"Let ${tex}$.")
    assert '<math display="block">' in html_of_markdown(f"$$\n{tex}\n$$")


def test_an_environment_is_typeset_without_equation_numbers():
    found = elements("\\begin{align}a &= b \\\\ c &= d\\end{align}")
    assert names_of(found).count("mtr") == 2 and "(1)" not in found.text


@pytest.mark.parametrize("tex", [r"}{", r"\frac", r"\left(", "x^a^b", "{" * 400, r"\sqrt{" * 200 + "}" * 200])
def test_invalid_tex_is_not_changed(tex):
    found = elements(f"a ${tex}$ b")
    assert "math" not in names_of(found) and tex in found.text


@pytest.mark.parametrize(
    "command", ["def", "newcommand", "renewcommand", "providecommand", "newenvironment", "DeclareMathOperator"]
)
def test_a_formula_that_defines_commands_is_not_converted(command):
    """Thirty definitions, each of which uses the next one twice, would expand to 10⁹ characters."""
    bomb = "".join(f"\\{command}{{\\{b}}}{{\\{a}\\{a}}}" for a, b in zip("abcdefghijklm", "bcdefghijklmn", strict=True))
    assert "math" not in names_of(elements(f"${bomb}\\n$"))
    assert "math" not in names_of(elements(f"$\\def\\a{{\\b\\b}}\\def\\b{{\\c\\c}}\\a {bomb}$"))


UNCLOSED = [
    *("*a ", "**a*", "_", "`", "``a`", ">", "- ", "[", "![a](", "$", "$a", "$x$ ", "$$a\n", "|a"),
    *("\\", "&#1;", "~~a", "<", "x^", "> - "),
]


@pytest.mark.parametrize("part", UNCLOSED)
def test_output_is_limited_and_fast(part):
    """All cases together take less than a second; quadratic work would take minutes."""
    text = (part * MAX_CHARS)[: MAX_CHARS - 1]
    assert len(html_of_markdown(text)) <= MAX_HTML_CHARS
    elements(text)


def test_a_table_of_short_rows_is_not_rendered():
    """Each short row would be padded to 200 cells."""
    found = elements("|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|\n" * 390)
    assert "table" not in names_of(found)


def test_a_long_text_is_shown_unrendered_and_cut():
    found = elements("# a\n" * 3000)
    assert names_of(found) == ["p"] and "more lines" in found.text


def test_model_answers_are_rendered_in_full():
    """Model answers are written as students' answers are: each of their formulas can be typeset."""
    for (_, _, asked), text in model_answers(reference_folder()).items():
        for said in (asked, text):
            found = elements(said)
            if said.count("$") >= 2:
                assert "math" in names_of(found)
            assert "$" not in found.text and "\\" not in found.text
