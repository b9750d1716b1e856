"""The elements of a page that a program wrote, read as a browser would."""

from html.parser import HTMLParser


class Elements(HTMLParser):
    """The elements of some HTML, whose tags must be balanced, without comments.

    Attributes
    ----------
    tags : list of (str, list of (str, str))
        Every element with its attributes.
    text : str
        The text between the tags.
    declarations : list of str
    """

    def __init__(self, html, void=("meta", "img", "br", "hr")):
        super().__init__()
        self.tags, self.text, self.declarations, self._void, self._open = [], "", [], void, []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, attributes))
        if tag not in self._void:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_decl(self, declaration):
        self.declarations.append(declaration)

    def handle_comment(self, data):
        raise AssertionError("a comment")

    handle_pi = unknown_decl = handle_comment
