"""The shortest sequence that still differs (delta debugging: Zeller, Hildebrandt 2002)."""


def shrink(steps, differs):
    """`differs(steps)` runs them anew. Any step may go: references to it fall back on a constant.

    Drops ever smaller pieces until no single step can go.
    """
    size = max(1, len(steps) // 2)
    while True:
        shorter = without_pieces(steps, size, differs)
        if len(shorter) == len(steps) and size == 1:
            return steps
        if len(shorter) == len(steps) or size > len(shorter):
            size = max(1, size // 2)
        steps = shorter


def without_pieces(steps, size, differs):
    """One pass from the end: what later steps need is found before what made it."""
    end = len(steps)
    while end > 0:
        begin = max(0, end - size)
        candidate = steps[:begin] + steps[end:]
        if candidate and differs(candidate):
            steps = candidate
        end = begin
    return steps
