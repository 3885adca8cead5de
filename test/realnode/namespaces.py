"""Namespaces of processes: making a machine of its own for a cluster, and starting programs in it.

A process that enters a PID namespace is not in it, only its children are. So starting a program there takes two
forks, and the second returns its id on this side, by which it can be signalled."""
import ctypes
import os
import signal
import sys

NEW_NS, NEW_PID, NEW_NET = 0x00020000, 0x20000000, 0x40000000
ALL = NEW_NS | NEW_PID | NEW_NET
_libc = ctypes.CDLL(None, use_errno=True)


def _checked(status, what):
    if status != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def unshare(which=ALL):
    _checked(_libc.unshare(which), "unshare")


def enter(process, which=ALL):
    """The namespaces that process `process` is in."""
    descriptor = os.pidfd_open(process)
    _checked(_libc.setns(descriptor, which), "setns")
    os.close(descriptor)


def started_at(process):
    """When a process was started, in clock ticks; together with its ID, this identifies it
    permanently. None: it is gone or dead."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def in_a_fork(action):
    """Runs `action` in a child, and returns its number. The child's exception is raised here."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, f"{action()}\n".encode())
        except BaseException as error:  # pylint: disable=broad-except
            os.write(writing, f"!{error}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.readline()  # not to its end: a grandchild may hold the pipe
    os.waitpid(child, 0)
    if text.startswith("!"):
        raise OSError(text[1:])
    return int(text)


def become(command, environment, log):
    """The child's part: this process becomes `command`, in its own session, and writes only to
    `log`."""
    os.setsid()
    os.umask(0o022)  # containerd creates the root folders of containers, whose users are others
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    nothing, out = os.open("/dev/null", os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, source in ((0, nothing), (1, out), (2, out)):
        os.dup2(source, number)
    os.closerange(3, 1024)
    os.execvpe(str(command[0]), [str(word) for word in command], environment)


def spawn(machine, command, environment, log):
    """Starts a program beside process `machine`, whose child it becomes; returns its ID."""
    def start():
        enter(machine)
        child = os.fork()
        if child == 0:
            try:
                become(command, environment, log)
            except OSError as error:
                print(f"{command[0]}: {error}", file=sys.stderr)
            os._exit(127)
        return child
    return in_a_fork(start)
