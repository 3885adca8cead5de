"""The steps of the script of kubectl commands."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Except:
    """Lines that are left out before two outputs are compared, and why they may differ."""
    pattern: str  # a regular expression that such a line matches somewhere
    reason: str
    at_times: bool = False  # such lines come in some runs only; else one that never comes is a failure


@dataclasses.dataclass(frozen=True)
class Step:
    """One kubectl command, given to both servers: exit status and output must be the same."""
    name: str
    command: str  # the arguments, quoted as in a shell
    stdin: str = ""
    excepts: tuple = ()
    # For a command that waits: what is done once it has printed a line with `ready` (at once
    # without one). It is ended when it has printed a line with `until`; without, it ends itself.
    meanwhile: tuple = ()
    ready: str = ""
    until: str = ""
    # Environment variables of this command alone.
    env: tuple = ()
