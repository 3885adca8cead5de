"""The steps of the script of kubectl commands."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Except:
    """Lines that are ignored when outputs are compared, and why they may differ."""
    pattern: str  # a regular expression that matches somewhere in such a line
    reason: str
    at_times: bool = False  # such lines occur only in some runs; otherwise a missing one is a failure


@dataclasses.dataclass(frozen=True)
class Step:
    """One kubectl command, given to both servers: exit status and output must be the same."""
    name: str
    command: str  # the arguments, quoted as in a shell
    stdin: str = ""
    excepts: tuple = ()
    # For a command that waits: what to do once it has printed a line with `ready` (at once if not
    # given). It is ended when it has printed a line with `until`; otherwise it ends by itself.
    meanwhile: tuple = ()
    ready: str = ""
    until: str = ""
    # Repeated while the error output has this text: the server catches up asynchronously.
    not_yet: str = ""
    # Environment variables of this command only.
    env: tuple = ()
