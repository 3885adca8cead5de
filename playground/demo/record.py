#!/usr/bin/env python3
"""Runs a command on a terminal of 100 columns and draws what it shows as an animated SVG.

    record.py FILE.svg COMMAND…

`./dev demo --record FILE.svg` calls it. It knows what the demo writes: text, bold and cyan, moving up and
clearing from there on. Pauses are cut to a second, and the last picture stays.
"""
import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios
import time

COLUMNS, ROWS = 100, 24
PAUSE_MAX, LAST = 1.0, 6.0
WIDTH, HEIGHT, LEFT, TOP = 8.4, 19, 14, 16
CONTROL = re.compile(r"\x1b\[(\d*)([AJm])|\r?\n|[^\x1b\r\n]+|.", re.S)


class Screen:
    """Lines of (style, text) pieces; the last one is being written."""

    def __init__(self):
        self.lines, self.style = [[]], ""

    def write(self, text):
        for match in CONTROL.finditer(text):
            number, action = match[1], match[2]
            if action == "A":
                del self.lines[-(int(number or 1) + 1):]
                self.lines.append([])
            elif action == "m":
                self.style = {"1": "bold", "36": "time"}.get(number, "")
            elif "\n" in match[0]:
                self.lines.append([])
            elif action is None and match[0] not in "\r\x1b":
                self.put(match[0])

    def put(self, text):
        """Long lines wrap, as a terminal wraps them."""
        while text:
            room = COLUMNS - sum(len(piece) for _, piece in self.lines[-1])
            if room <= 0:
                self.lines.append([])
                continue
            self.lines[-1].append((self.style, text[:room]))
            text = text[room:]

    def shown(self):
        lines = self.lines if self.lines[-1] else self.lines[:-1]
        return [tuple(line) for line in lines[-ROWS:]]


def play(command):
    """[(seconds since the start, the screen's lines)], and the command's exit status."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen, frames, start = Screen(), [], time.monotonic()
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # The other end is closed.
            data = b""
        if not data:
            break
        os.write(1, data)
        screen.write(data.decode(errors="replace"))
        if not frames or frames[-1][1] != screen.shown():
            frames.append((time.monotonic() - start, screen.shown()))
    return frames, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def without_pauses(frames):
    """[(begin, lines)] with a last entry for the end."""
    now, moved = 0.0, []
    for (at, lines), following in zip(frames, [*frames[1:], None]):
        moved.append((now, lines))
        now += min(following[0] - at, PAUSE_MAX) if following else LAST
    return moved, now


def line_svg(row, pieces):
    spans = "".join(f'<tspan class="{style}">{html.escape(text)}</tspan>' if style else html.escape(text)
                    for style, text in pieces)
    return f'<text x="{LEFT}" y="{TOP + (row + 1) * HEIGHT}" xml:space="preserve">{spans}</text>'


def svg(frames):
    moved, length = without_pauses(frames)
    width, height = COLUMNS * WIDTH + 2 * LEFT, ROWS * HEIGHT + 2 * TOP
    # The same line in the same row of several pictures is drawn once, for all that time.
    shows = {}
    for number, (begin, lines) in enumerate(moved):
        end = moved[number + 1][0] if number + 1 < len(moved) else length
        for row, pieces in enumerate(lines):
            spans = shows.setdefault((row, pieces), [])
            if spans and spans[-1][1] == begin:
                spans[-1][1] = end
            else:
                spans.append([begin, end])
    styles, texts = [], []
    for (row, pieces), spans in shows.items():
        for begin, end in spans:
            name = f"a{len(texts)}"
            on, off = 100 * begin / length, 100 * end / length
            steps = [f"0%{{opacity:{int(begin == 0)}}}"]
            if begin > 0:
                steps.append(f"{on:.3f}%{{opacity:1}}")
            if end < length:
                steps.append(f"{off:.3f}%{{opacity:0}}")
            styles.append(f"@keyframes {name}{{{''.join(steps)}100%{{opacity:{int(end >= length)}}}}}"
                          f"#{name}{{animation-name:{name}}}")
            texts.append(f'<g id="{name}">{line_svg(row, pieces)}</g>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
            'aria-label="The demo in a terminal">\n<style>'
            "text{font:14px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;fill:#e6e9ec}"
            ".bold{font-weight:700}.time{fill:#56b4e9}"
            f"g{{opacity:0;animation:{length:.2f}s step-end infinite}}" + "".join(styles) + "</style>\n"
            '<rect width="100%" height="100%" rx="10" fill="#15181c"/>\n' + "\n".join(texts) + "\n</svg>\n")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1].strip())
    frames, status = play(sys.argv[2:])
    if status == 0:
        with open(sys.argv[1], "w") as file:
            file.write(svg(frames))
    sys.exit(status)


if __name__ == "__main__":
    main()
