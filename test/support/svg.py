"""Shared by the pictures of the docs: a few colours, and text."""
import html

BLUE, RED, GREY, DARK = "#2b6cb0", "#c05621", "#4a5568", "#1a202c"


def text(x, y, words, size=11, colour=GREY, **more):
    extra = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{colour}"{extra}>{html.escape(words)}</text>'
