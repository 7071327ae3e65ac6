"""Text that people write, made into safe HTML on the server."""

from __future__ import annotations

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_parser = MarkdownIt("commonmark", {"html": False}).enable("table")
TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


def docstring_to_html(text: str) -> SafeString:
    """Render a docstring: its doctest examples are code, not quotations.

    >>> print(docstring_to_html("A sum.\\n\\n>>> 1 + 1\\n2"))
    <p>A sum.</p>
    <pre><code>&gt;&gt;&gt; 1 + 1
    2
    </code></pre>
    <BLANKLINE>
    """
    blocks = []
    for block in text.split("\n\n"):
        blocks.append(f"```\n{block}\n```" if block.lstrip().startswith(">>>") else block)
    return to_html("\n\n".join(blocks))


def to_html(text: str) -> SafeString:
    """Render Markdown; anything not on the list of harmless tags is dropped."""
    html = _parser.render(text)
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
    return mark_safe(clean)  # noqa: S308  # cleaned by nh3 above
