"""The commands of the documentation's pages, so that tests can follow them as a reader does.

A YAML block that begins with a file's name is that file from there on. A shell block is run, unless a comment before
it says that no test can, or that it needs a node: then `./dev e2e` runs it."""
import re

NOT_RUN, NEEDS_NODE = "<!-- not run by the tests: ", "<!-- run by ./dev e2e: "


def section(text, heading):
    """The content below a heading, up to the next one of its level or above; without a heading, the
    content above the first `##`."""
    if heading is None:
        return text.partition("\n## ")[0]
    found = re.search(rf"^(##+) {re.escape(heading)}\n", text, re.M)
    assert found, f"there is no section {heading}"
    return re.split(rf"^#{{2,{len(found[1])}}} ", text[found.end():], maxsplit=1, flags=re.M)[0]


def steps(text, skipped=(NOT_RUN, NEEDS_NODE)):
    """(the line's number, a command that writes a file or runs a shell block)"""
    for block in re.finditer(r"^( *)```(sh|yaml)\n(.*?)^ *```", text, re.M | re.S):
        before = text[:block.start()].rstrip().splitlines()
        marked = bool(before) and before[-1].strip().startswith(skipped)
        indent, language, content = block.groups()
        content = re.sub(f"^{indent}", "", content, flags=re.M)
        file = re.match(r"# (\S+\.yaml)\n", content)
        line = text[:block.start()].count("\n") + 1
        if language == "sh" and not marked:
            yield line, content
        elif language == "yaml" and file:
            yield line, f"mkdir -p $(dirname {file[1]})\ncat >{file[1]} <<'END'\n{content}END\n"
