"""The shortest sequence that still differs (delta debugging: Zeller, Hildebrandt 2002)."""


def shrink(steps, differs):
    """`differs(steps)` runs them again. Any step may be dropped: references to it fall back on a constant.

    Drops smaller and smaller pieces until no single step can be dropped.
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
    """One pass from the end: dependent steps are found before their sources."""
    end = len(steps)
    while end > 0:
        begin = max(0, end - size)
        candidate = steps[:begin] + steps[end:]
        if candidate and differs(candidate):
            steps = candidate
        end = begin
    return steps
